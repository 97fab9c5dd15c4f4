// SPDX-License-Identifier: GPL-3.0-or-later
// What loop_kind_test.cpp asks loop-kind.c, which does not compile as C++.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// The calling thread: its control variables, and its team. A team of 0 threads is none.
struct situation {
  int icv_kind;
  int icv_chunk;
  int icv_given;
  unsigned threads;
  int asymmetric; // a value of enum gomp_amp_asymmetric
  int settled;    // what a team of unknown classes turns out to be
};

// What a loop runs as, and why; and the reason that the thread keeps.
struct decision {
  int kind;
  long chunk;
  unsigned why, kept;
};

struct decision decide_runtime(struct situation situation, int routed);
struct decision decide_parallel(struct situation situation, int kind, long chunk);

// GOMP_loop_start with KIND and CHUNK: what they become, and in *RESOLVED whether they did.
struct decision decide_start(struct situation situation, long kind, long chunk, int *resolved);

// An ordered loop with the ICV: what upstream's switch sees.
struct decision decide_ordered(struct situation situation);

#ifdef __cplusplus
}
#endif
