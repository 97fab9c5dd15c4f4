/* SPDX-License-Identifier: GPL-3.0-or-later
   A program that has the variable environ itself, since it is linked without -pie, and loads the
   library with RTLD_DEEPBIND, as PHP and Julia load modules: OMP_NUM_THREADS counts, and so does
   what the program changes before.  deepbind LIBRARY  */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int
main (int argc, char **argv)
{
  void *library;
  int (*threads) (void);

  if (argc < 2 || environ == NULL || setenv ("OMP_THREAD_LIMIT", "11", 1) != 0)
    return 2;
  library = dlopen (argv[1], RTLD_NOW | RTLD_DEEPBIND);
  if (library == NULL)
    {
      puts (dlerror ());
      return 2;
    }
  threads = (int (*) (void)) dlsym (library, "omp_get_max_threads");
  if (threads () != 5)
    {
      printf ("%d threads; expected 5\n", threads ());
      return 1;
    }
  threads = (int (*) (void)) dlsym (library, "omp_get_thread_limit");
  if (threads () != 11)
    {
      printf ("at most %d threads; expected 11\n", threads ());
      return 1;
    }
  return 0;
}
