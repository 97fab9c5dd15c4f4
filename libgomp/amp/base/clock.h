/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The only place where the schedules read time.  */

#ifndef GOMP_AMP_CLOCK_H
#define GOMP_AMP_CLOCK_H 1

#include <time.h>
#include "base/events.h"

/* Nanoseconds since an arbitrary moment; never goes back.  On every kernel with
   a usable counter this is a vDSO call, not a system call.  */
static inline unsigned long long
gomp_amp_clock (void)
{
#ifdef GOMP_AMP_VIRTUAL
  return gomp_virtual_now ();
#else
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000ULL + now.tv_nsec;
#endif
}

#endif /* GOMP_AMP_CLOCK_H */
