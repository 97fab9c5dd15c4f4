/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What epcc measures: functions that run an OpenMP construct many times, with a delay in it.  */

#ifndef EPCC_H
#define EPCC_H 1

#include "bench.h"
#include <omp.h>

/* What a measurement consists of, and what came of it.  */
struct epcc_load
{
  int threads;
  /* How many times a construct is run, and the turns of the delay in each.  */
  long repetitions, turns;
  /* The delays that have been run: each is counted either in its thread's tally, or in SHARED where
     the construct has to ensure that no two add to it at the same time.  */
  struct bench_tally *tallies;
  long shared;
};

/* Each runs a construct REPETITIONS times in a team of its own: the constructs that every thread
   enters with one delay a thread, the others with one in all.  */
typedef void epcc_runner (struct epcc_load *load);

epcc_runner epcc_parallel, epcc_reduction, epcc_barrier, epcc_single, epcc_critical;
epcc_runner epcc_taskwait, epcc_taskgroup;

/* Run for TURNS turns of a loop that the compiler cannot shorten.  */
void epcc_delay (long turns);

/* A delay that its thread counts.  */
static inline void
epcc_work (struct epcc_load *load)
{
  epcc_delay (load->turns);
  load->tallies[omp_get_thread_num ()].count++;
}

#endif
