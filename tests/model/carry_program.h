/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the ids of the checked folded teams do: the ways in which libgomp waits, in small.
   Compiled as the library's code is, so that the checker sees each access.  */
#ifndef CARRY_PROGRAM_H
#define CARRY_PROGRAM_H 1

#ifdef __cplusplus
extern "C" {
#endif

#include "fold/fold-carry.h"
#include "fold/fold-kernel.h"
#include "fold/fold-park.h"

#pragma GCC visibility push(hidden)

enum { CARRY_WORKERS = 2, CARRY_IDS = 3 };

/* All that the threads share.  */
struct carry_world {
  int generation;
  int awaited;
  int mutex;
  int flag;
  /* What the mutex guards.  */
  int guarded;
  struct gomp_fold_crew crew;
  struct gomp_fold_worker worker[CARRY_WORKERS];
  struct gomp_fold_id id[CARRY_IDS];
  /* How far each id is, and whether it has ended.  Its own.  */
  int done[CARRY_IDS];
  bool ended[CARRY_IDS];
  /* Its context is saved, where ids have contexts.  */
  bool down[CARRY_IDS];
};

extern struct carry_world carry_world;

/* How often a worker looks before it sleeps.  */
extern unsigned carry_spins;

/* The checker's.  Wakes all that sleep on ADDR.  */
void carry_wake_all(int *addr);
/* No other thread can go on.  */
void carry_wait_until_quiet(void);
/* FROM puts itself down, and TO is picked up; one of them may be NULL.  */
void carry_check_change(struct gomp_fold_id *from, const struct gomp_fold_id *to);
/* The calling id runs in the program's code.  */
void carry_check_runs(unsigned id);

/* Each is what one thread does, ID its id.  */
void carry_barriers(unsigned id);
void carry_mutex(unsigned id);
void carry_outside(unsigned id);
void carry_yields(unsigned id);
void carry_moves(unsigned id);
void carry_regions(unsigned id);

/* What a thread beside the ids does: to relieve worker 0 at any time, and then those that hang; or
   to release all ids.  */
void carry_watch(void);
void carry_release(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
