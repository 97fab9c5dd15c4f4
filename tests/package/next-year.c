/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Preloaded: the clock is 400 days ahead. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>

#define AHEAD (400 * 86400)

int
clock_gettime (clockid_t clock, struct timespec *now)
{
  int (*real) (clockid_t, struct timespec *) = dlsym (RTLD_NEXT, __func__);
  int status = real (clock, now);
  if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    now->tv_sec += AHEAD;
  return status;
}

time_t
time (time_t *result)
{
  struct timespec now;
  clock_gettime (CLOCK_REALTIME, &now);
  if (result)
    *result = now.tv_sec;
  return now.tv_sec;
}

int
gettimeofday (struct timeval *restrict result, void *restrict zone)
{
  (void) zone;
  struct timespec now;
  clock_gettime (CLOCK_REALTIME, &now);
  result->tv_sec = now.tv_sec;
  result->tv_usec = now.tv_nsec / 1000;
  return 0;
}
