/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads the libraries that are its arguments, one after the other, for
   themselves alone, and calls the function guarded of each.  */

#include <dlfcn.h>
#include <stdio.h>

int
main (int argc, char **argv)
{
  for (int i = 1; i < argc; i++)
    {
      void *library = dlopen (argv[i], RTLD_NOW | RTLD_LOCAL);
      void (*guarded) (void) = library ? dlsym (library, "guarded") : NULL;
      if (!guarded)
        {
          puts (dlerror ());
          return 1;
        }
      guarded ();
    }
  return 0;
}
