// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of loops share: the kinds, and libgomp's entry points where pragmas can't reach.
#pragma once

#include <gtest/gtest.h>
#include <omp.h>
#include <ompx_amp.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

struct Kind {
  const char *name;
  omp_sched_t value;
};

// The fork's, and upstream's, whose static takes the fork's way without a work share.
inline const Kind kKinds[] = {
    {"aid_static", omp_sched_t(ompx_amp_sched_aid_static)},
    {"aid_hybrid", omp_sched_t(ompx_amp_sched_aid_hybrid)},
    {"aid_dynamic", omp_sched_t(ompx_amp_sched_aid_dynamic)},
    {"static", omp_sched_static},
    {"dynamic", omp_sched_dynamic},
    {"guided", omp_sched_guided},
};

extern "C" {
bool GOMP_loop_ull_nonmonotonic_runtime_start(bool, unsigned long long, unsigned long long,
                                              unsigned long long, unsigned long long *,
                                              unsigned long long *);
bool GOMP_loop_ull_nonmonotonic_runtime_next(unsigned long long *, unsigned long long *);
bool GOMP_loop_nonmonotonic_runtime_start(long, long, long, long *, long *);
bool GOMP_loop_nonmonotonic_runtime_next(long *, long *);
using ParallelLoop = void(void (*)(void *), void *, unsigned, long, long, long, unsigned);
ParallelLoop GOMP_parallel_loop_runtime, GOMP_parallel_loop_maybe_nonmonotonic_runtime,
    GOMP_parallel_loop_nonmonotonic_runtime;
// Of GCC before 4.9: begins the region, which the caller then runs and ends itself.
void GOMP_parallel_loop_runtime_start(void (*)(void *), void *, unsigned, long, long, long);
void GOMP_parallel_end();
void GOMP_loop_end();
void GOMP_loop_end_nowait();
}
