/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Called regions in small: an initial thread that starts them, the other threads of its pool at the
   dock, and a thread that watches.  Compiled as the library's code is, so that the checker sees
   each access.  */
#ifndef CALL_PROGRAM_H
#define CALL_PROGRAM_H 1

#ifdef __cplusplus
extern "C" {
#endif

#include "libgomp.h"

#include "fold/fold-kernel.h"
#include "fold/fold-pool.h"
#include "fold/fold-region.h"
#include "fold/fold-shares.h"

#pragma GCC visibility push(hidden)

enum { CALL_WORKERS = 2, CALL_THREADS = MODEL_THREADS, CALL_MOST = 2, CALL_ARENA = 4096 };

/* What an id does.  */
enum call_body {
  CALL_LEAF,
  /* All ids meet at a barrier.  */
  CALL_MEETS,
  /* All ids wait until all have begun, outside of OpenMP.  */
  CALL_OUTSIDE,
  /* Id 0 makes a task.  */
  CALL_TASKS
};

/* Regions of as many ids, with a pool of CALL_THREADS threads.  COARSE: no other thread runs while
   one hands over a turn; model.turns checks these steps.  */
struct call_case {
  enum call_body body;
  unsigned ids, regions;
  bool coarse;
};

/* All that the threads share.  */
struct call_world {
  /* Constant in a search.  */
  struct call_case of;
  /* Threads that wait for the barrier's next generation.  */
  int waiting;
  /* Ids that have begun: outside of OpenMP others wait for that.  */
  int begun;
  /* Of the present region, and how often each id has run in each.  */
  unsigned region;
  bool live[CALL_MOST];
  int done[CALL_MOST][CALL_THREADS], met[CALL_MOST];
  const char *error;
  struct gomp_thread thread[CALL_THREADS];
  struct gomp_thread *threads[CALL_THREADS];
  struct gomp_thread_pool pool;
  struct gomp_team team;
  struct gomp_fold_pool fold;
  struct gomp_fold_team folded;
  struct gomp_fold_worker worker[CALL_WORKERS];
  struct gomp_fold_id *slot[CALL_THREADS];
  unsigned first[CALL_WORKERS + 1], dealt_first[CALL_WORKERS + 1];
  struct gomp_fold_thread record[CALL_THREADS];
  struct gomp_fold_region known;
  struct gomp_fold_deal deal;
  unsigned order[CALL_THREADS];
  float slow[CALL_WORKERS], cost[CALL_THREADS + 1];
  /* What the library allocates.  */
  size_t allocated;
  char arena[CALL_ARENA] __attribute__((aligned(64)));
};

extern struct call_world call_world;

/* Worker 0 has two threads, worker 1 one.  */
void call_prepare(const struct call_case *of);

/* Each is what one thread does; call_docked that of NUMBER.  */
void call_home(void);
void call_docked(unsigned number);
/* Looks while the threads run, and then whenever none of them can go on.  */
void call_watch(void);
/* Only looks whenever none of them can go on.  */
void call_watch_stuck(void);

/* Whether nothing depends on the word at ADDRESS here: it does not change while several threads
   run, one thread uses it, or it is a guess.  An access to it is no step.  */
bool call_is_quiet(const void *address);

/* Of the checker.  Let another thread go on first, if one can.  */
void call_let_others_run(void);
/* Wakes all that sleep on ADDR.  */
void call_wake_all(int *addr);
/* Wait until no other thread can go on.  */
void call_wait_until_quiet(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
