/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A library whose constructor runs a region, in which not the thread that loads
   it starts the first loop.  dlopen holds a lock meanwhile.  */

#include <omp.h>
#include <sched.h>

static int started;

static void __attribute__ ((constructor))
construct (void)
{
#pragma omp parallel num_threads(2)
  {
    int seen = omp_get_thread_num ();
    while (!seen)
      {
        sched_yield ();
#pragma omp atomic read
        seen = started;
      }
#pragma omp for
    for (int i = 0; i < 2; i++)
      {
#pragma omp atomic write
        started = 1;
      }
  }
}

void
guarded (void)
{
}
