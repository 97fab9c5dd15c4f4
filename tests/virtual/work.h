// SPDX-License-Identifier: GPL-3.0-or-later
// Work of the calling thread, for programs that count it (amp-gcc --amp-count): the same amount on
// any host, and where it is counted it takes no real time.
#pragma once

#include <cstdio>
#include <ctime>

#include <dlfcn.h>

// The counter of the compiler, and what the lab sets if it counts by it (gcc-patch/count).
extern "C" {
extern __thread volatile unsigned long long amp_work __attribute__((tls_model("initial-exec")));
extern void (*amp_work_hook)(int, const void *);
}

// Seconds that one unit takes: GOMP_VIRTUAL_UNIT_PS of libgomp/amp/virtual/counted.h.
constexpr double kUnit = 175e-12;

// Says which library serves the program.
inline void print_library() {
  Dl_info info = {};
  dladdr(dlsym(RTLD_DEFAULT, "GOMP_parallel"), &info);
  std::printf("libgomp under test: %s\n", info.dli_fname);
}

// Seconds of work, as on the fastest core.
inline double work_seconds() {
  if (amp_work_hook != nullptr)
    return double(amp_work) * kUnit;
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

inline void work(double seconds) {
  if (amp_work_hook != nullptr) {
    amp_work = amp_work + static_cast<unsigned long long>(seconds / kUnit + 0.5);
    return;
  }
  const double end = work_seconds() + seconds;
  while (work_seconds() < end)
    ;
}
