/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* How long threads use the CPU.  In virtual time, too, it is the real CPU: that
   is what the thread of fold-watch.c looks at.  */

#define _GNU_SOURCE 1
#include <time.h>
#include "fold/fold-kernel.h"

unsigned long long
gomp_fold_look_up_cpu_ns (int tid)
{
  struct timespec used;

  /* As glibc's pthread_getcpuclockid.  */
  if (clock_gettime ((clockid_t) (~(unsigned) tid << 3 | 6), &used) != 0)
    clock_gettime (CLOCK_MONOTONIC, &used);
  return used.tv_sec * 1000000000ULL + used.tv_nsec;
}
