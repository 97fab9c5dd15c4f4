/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the ids of the checked folded teams do: the ways in which libgomp waits, in
   small.  Compiled as the library's code is, so that the checker sees each access.  */
#ifndef FOLD_PROGRAM_H
#define FOLD_PROGRAM_H 1

#ifdef __cplusplus
extern "C" {
#endif

#include "fold/fold-kernel.h"
#include "fold/fold-turn.h"

#pragma GCC visibility push(hidden)

enum { FOLD_WORKERS = 2, FOLD_IDS = 3 };

/* All that the threads share.  */
struct fold_world {
  /* What atomic loads read comes first.  */
  int generation;
  int mutex;
  int flag;
  int awaited;
  /* What the mutex guards.  */
  int guarded;
  struct gomp_fold_worker worker[FOLD_WORKERS];
  struct gomp_fold_id *slots[FOLD_WORKERS][FOLD_IDS];
  struct gomp_fold_id id[FOLD_IDS];
  /* What each id has done.  Its own.  */
  int done[FOLD_IDS];
};

extern struct fold_world fold_world;

/* How often a thread looks before its worker sleeps.  */
extern unsigned fold_spins;

/* Wakes all that sleep on ADDR.  */
void fold_wake_all(int *addr);

/* Each is what one thread does, ID its id.  */
void fold_barriers(unsigned id);
void fold_one_barrier(unsigned id);
void fold_mutex(unsigned id);
void fold_end_early(unsigned id);
void fold_outside(unsigned id);
void fold_yield(unsigned id);
void fold_two_words(unsigned id);
void fold_move(unsigned id);

/* What a thread beside the ids does.  */
void fold_wake_early(void);
void fold_disband(void);
void fold_disband_and_unlock(void);
void fold_wake_moving(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
