/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads the library that is its argument, and calls its function mapping; with
   a second argument, after omp_set_schedule (omp_sched_guided, 5).  */

#include <dlfcn.h>
#include <stdio.h>

int
main (int argc, char **argv)
{
  void *libgomp = dlopen ("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL);
  void (*set) (int, int) = (void (*) (int, int)) dlsym (libgomp,
                                                       "omp_set_schedule");
  void (*get) (int *, int *) = (void (*) (int *, int *)) dlsym (libgomp,
                                                               "omp_get_schedule");
  int kind, chunk;
  if (argc > 2)
    set (3, 5);
  void *library = dlopen (argv[1], RTLD_NOW);
  if (!library)
    {
      puts (dlerror ());
      return 1;
    }
  get (&kind, &chunk);
  printf ("schedule %d %d\n", kind, chunk);
  ((void (*) (void)) dlsym (library, "mapping")) ();
  return 0;
}
