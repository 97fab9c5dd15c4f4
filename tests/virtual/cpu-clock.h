// SPDX-License-Identifier: GPL-3.0-or-later
// CPU time of the calling thread, and work that is measured by it: the same amount on any host,
// however busy.
#pragma once

#include <ctime>

// Seconds.
inline double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

inline void work(double seconds) {
  const double end = cpu_seconds() + seconds;
  while (cpu_seconds() < end)
    ;
}
