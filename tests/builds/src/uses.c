/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls the function owners: of a library that it is linked to, or, with
   LOADS, of one that it loads.  With OpenMP it first has a region of its
   own.  */

#include <stdio.h>
#include <stdlib.h>
#ifdef LOADS
#include <dlfcn.h>
#else
extern void owners (void);
#endif

int
main (void)
{
  int threads = 0;
#pragma omp parallel reduction(+ : threads)
  threads++;
#ifdef LOADS
  void *library = dlopen (getenv ("AMP_TEST_LIBRARY"), RTLD_NOW);
  void (*owners) (void) = library ? dlsym (library, "owners") : NULL;
  if (!owners)
    {
      puts (dlerror ());
      return 1;
    }
#endif
  owners ();
  return threads == 0;
}
