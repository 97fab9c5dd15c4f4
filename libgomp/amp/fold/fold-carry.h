/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Carried ids: one kernel thread of a worker's core runs the worker's ids, one
   at a time.  fold.h explains the terms.

   An id that would wait in libgomp is put down: it notes the word that it waits
   for, joins the list of its worker, and the kernel thread that ran it picks up
   the first id of the list whose word has changed.  If there is none the id
   stays picked up, and its kernel thread looks again and again, and then
   sleeps.

   The rules, and their reasons:

   1. A worker's list and its CARRIER are guarded by its lock, which is held for
      some tens of instructions, by kernel threads that wait and by those that
      deal ids, and never while a program's code runs or a thread sleeps.
   2. An id in a list is down: its context was saved before the lock was
      released that was held when it joined the list.  So the lock is held over
      the switch, and the context that is picked up releases it
      (gomp_fold_picked_up).
   3. Only who holds the lock of its list reads the word that an id waits for,
      and the id itself: an id that runs may free the memory of that word.
   4. A kernel thread always has the thread pointer of an id that it alone runs,
      or its own while it is parked.  Signals are blocked while it is parked:
      its own id may run elsewhere, and a handler would use its thread-local
      variables.
   5. There are as many parked kernel threads as ids that are down, since each
      other one runs an id.  So a worker that needs a carrier finds one.  A
      kernel thread that is about to park puts its id down first; who searches
      meanwhile searches again.
   6. A worker with an id in its list has a carrier: who adds an id to a list
      without one gives the id to a parked kernel thread.
   7. A kernel thread whose worker has another carrier is loose.  It runs the id
      that it has until that waits, puts it down, and parks.  So an id that
      sleeps or spins in the program's code keeps no other one from running once
      the watching thread has given its worker another carrier.
   8. A carrier sleeps only on words whose writers wake sleepers, and on its
      worker's WORD.  An id that waits by GOMP_FOLD_SPIN waits for a word that
      is not woken yet.  It is picked up before its carrier sleeps, publishes
      that it waits, and comes back by GOMP_FOLD_SLEEP.
   9. The kernel may wake a carrier for several words at once, of which the next
      id needs one.  It wakes one sleeper of each other word that has changed,
      so that none of those that sleep elsewhere misses its only wake.
   10. A carrier without an id to run takes one that can go on from the list of
      another worker, if its worker would end it earlier, and if that one's
      carrier has not switched since the last look: it runs an id, and gets to
      the others later.  What is taken goes back to its own list when it
      waits.
   11. An id that must go home (its thread ends, or it is the first one and its
      region has ended) is given to its own kernel thread alone.  If that runs
      another id, it takes its own one when the other one waits.

   Orders: locks acquire and release.  What a kernel thread is given is stored
   before its WORD is released, and read after that is acquired.  PARKED and
   WANTED, and WORD and ASLEEP, are pairs of stores and loads of which one side
   has to see the other: they are sequentially consistent.  */

#ifndef GOMP_AMP_FOLD_CARRY_H
#define GOMP_AMP_FOLD_CARRY_H 1

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/* How an id waits.  */
enum gomp_fold_way
{
  /* Until the word changes; its writers do not wake sleepers yet.  */
  GOMP_FOLD_SPIN,
  /* Until the word changes; its writers wake sleepers.  */
  GOMP_FOLD_SLEEP,
  /* For nothing: others come first.  */
  GOMP_FOLD_YIELD
};

/* The result of gomp_fold_wait.  */
enum gomp_fold_result
{
  /* The word may have changed: look at it.  */
  GOMP_FOLD_LOOK,
  /* GOMP_FOLD_SPIN only: it has not changed, and the worker has nothing else to
     run.  Publish that a thread waits, and come back with GOMP_FOLD_SLEEP.  */
  GOMP_FOLD_WAITED,
  /* Ids are not carried any more: wait as if nothing was folded.  */
  GOMP_FOLD_ALONE
};

/* How the ids of a pool run.  */
enum gomp_fold_mode
{
  /* Each on a kernel thread of its own, as if nothing was folded.  */
  GOMP_FOLD_FREE,
  /* The same, but bound to the core of its worker, and waits sleep at once.  */
  GOMP_FOLD_APART,
  GOMP_FOLD_CARRIED
};

/* What a kernel thread does: see gomp_fold_carrier.word.  */
enum gomp_fold_parking
{
  GOMP_FOLD_RUNS,
  /* It sleeps, or is about to.  */
  GOMP_FOLD_PARKED,
  /* Another thread chooses an id for it.  */
  GOMP_FOLD_CHOSEN,
  /* It has been given one.  */
  GOMP_FOLD_GIVEN
};

struct gomp_fold_id;
struct gomp_fold_worker;

/* A kernel thread of a pool, of which each is made for an id.  */
struct gomp_fold_carrier
{
  /* Shared and atomic.  WORD: enum gomp_fold_parking; it sleeps on it while
     parked.  CALLS: changes when WANTED does.  WANTED: its own id, which was
     put down for it alone, or NULL.  OF: the worker that it carries for, NULL
     if it is loose or parked; written under that worker's lock.  */
  int word __attribute__ ((aligned (64)));
  int calls;
  struct gomp_fold_id *wanted;
  struct gomp_fold_worker *of;

  /* Written before WORD becomes GOMP_FOLD_GIVEN, and read after that.  */
  struct gomp_fold_id *given;

  /* For itself.  RUN: the id that it runs, also read by the watching thread.
     LOCKED: the worker in whose list is the id that it has just put down; or
     else LEFT: that id.  MASKED: its signals are blocked, and were MASK
     before.  */
  struct gomp_fold_id *run;
  struct gomp_fold_id *left;
  struct gomp_fold_worker *locked;
  sigset_t mask;
  bool masked;

  /* Of fold-park.c: its context while it runs an id, and the stack of that.  */
  void *context;
  void *stack;
};

struct gomp_fold_id
{
  /* Where its context is while it is down; or, where each id keeps its kernel
     thread, whether that is to go on.  */
  union
  {
    void *context;
    int go;
  } __attribute__ ((aligned (64)));
  /* It waits until *ADDR is not VAL.  Guarded by the lock of its list while it
     is down, otherwise for itself.  TIMED_OUT: its wait ends as one that has
     only spun.  HOME: it is down for its own kernel thread alone.  LEADS: its
     thread starts regions.  */
  int *addr;
  int val;
  unsigned char way;
  bool timed_out, home, leads;
  /* In its worker's list; LIST is that worker, or NULL.  */
  struct gomp_fold_id *next;
  struct gomp_fold_worker *list;
  /* The kernel thread that runs it.  */
  struct gomp_fold_carrier *on;
  /* The worker that it is dealt to.  Shared and atomic, relaxed: who acts on it
     looks again under the lock.  */
  struct gomp_fold_worker *worker;
  /* The kernel thread that was made for it.  */
  struct gomp_fold_carrier own;
};

/* What all ids and workers of a pool share.  */
struct gomp_fold_crew
{
  /* Shared and atomic.  MODE: enum gomp_fold_mode.  */
  int mode;
  /* Constant.  */
  unsigned workers;
  struct gomp_fold_worker *worker;
};

struct gomp_fold_worker
{
  /* The lock: 0 or 1.  */
  int lock __attribute__ ((aligned (64)));
  /* ASLEEP: its carrier sleeps, also on WORD, which changes when there is
     something new to look at.  */
  int word;
  bool asleep;

  /* Guarded by the lock.  FIRST, LAST: the ids that are down.  */
  struct gomp_fold_carrier *carrier;
  struct gomp_fold_id *first, *last;
  /* Written under the lock, and read by others.  SWITCHES: how often it picked
     up an id.  EARLY: how often it got another carrier since its present one
     did not come back.  */
  unsigned switches, early;

  /* For its carrier: how often the worker VICTIM had switched when it was
     looked at last.  */
  unsigned victim, victim_switches;

  /* How fast it is believed to be, in any unit.  Shared and atomic,
     relaxed.  */
  unsigned speed;

  /* Constant.  */
  struct gomp_fold_crew *crew;
  unsigned number;

  /* Of fold.c: how many ids are dealt to it, and how many of them have come to
     the end of a region.  Shared and atomic, relaxed.  */
  unsigned ids, ended;
};

/* The calling thread, whose id ID is, runs it on its own kernel thread, and is
   loose.  */
extern void gomp_fold_begin_id (struct gomp_fold_id *id);

/* Wait for the calling id, ME, as long as *ADDR is VAL, or until there is
   another reason to look; other ids of its worker run meanwhile.  When there is
   none to run look SPINS times before the carrier sleeps.  */
extern enum gomp_fold_result gomp_fold_wait (struct gomp_fold_id *me,
					     int *addr, int val,
					     enum gomp_fold_way way,
					     unsigned long long spins);

/* Let other ids of the worker of ME, the calling id, run first, if any can.
   Returns whether one did.  */
extern bool gomp_fold_yield (struct gomp_fold_id *me);

/* Have ME, the calling id, run on its own kernel thread from now on.  */
extern void gomp_fold_go_home (struct gomp_fold_id *me);

/* Where ids are not carried: if the kernel thread of ME, the calling id, is
   another id's, which needs it, run on another one from now on.  */
extern void gomp_fold_vacate (struct gomp_fold_id *me);

/* The kernel thread of ME, the calling id, is loose from now on.  If it carries
   for a worker another one does so.  */
extern void gomp_fold_resign (struct gomp_fold_id *me);

/* ID belongs to WORKER from now on.  Called by the thread that starts regions,
   or by the last one at a barrier.  */
extern void gomp_fold_deal (struct gomp_fold_id *id,
			    struct gomp_fold_worker *worker);

/* Have the kernel thread of ME, the calling id, carry for ME's worker, instead
   of the one that does, if ids are carried.  */
extern void gomp_fold_take_over (struct gomp_fold_id *me);

/* Give WORKER another carrier, which runs an id of it that can run.  Returns
   whether there was one.  Called by the watching thread.  */
extern bool gomp_fold_relieve (struct gomp_fold_worker *worker);

/* All ids of CREW that are down get a kernel thread each, and none is carried
   any more, once its mode is not GOMP_FOLD_CARRIED.  Called by any thread.  */
extern void gomp_fold_release (struct gomp_fold_crew *crew);

/* For fold-park.c.  C has picked up a context, which calls this.  */
extern void gomp_fold_picked_up (struct gomp_fold_carrier *c);

/* The same.  C, which has finished, is parked from now on.  Returns an id that
   it has to pick up instead, or NULL.  */
extern struct gomp_fold_id *gomp_fold_park (struct gomp_fold_carrier *c);

/* The same.  Returns the id that C was given, if it was.  */
extern struct gomp_fold_id *gomp_fold_take_given (struct gomp_fold_carrier *c);

/* Whether C is parked; it is GOMP_FOLD_CHOSEN from now on then.  */

static inline bool
gomp_fold_choose (struct gomp_fold_carrier *c)
{
  int parked = GOMP_FOLD_PARKED;

  return (__atomic_load_n (&c->word, __ATOMIC_RELAXED) == GOMP_FOLD_PARKED
	  && __atomic_compare_exchange_n (&c->word, &parked, GOMP_FOLD_CHOSEN,
					  false, __ATOMIC_SEQ_CST,
					  __ATOMIC_RELAXED));
}

/* fold.c's, and the tests'.  A kernel thread of the pool of WORKER that is
   parked, and is GOMP_FOLD_CHOSEN from now on; FOR_ID's own one if that is.
   NULL if there is none.  */
extern struct gomp_fold_carrier *
gomp_fold_choose_parked (const struct gomp_fold_worker *worker,
			 struct gomp_fold_id *for_id);

/* The same.  ME, the calling id, was picked up by another kernel thread than
   its own.  */
extern void gomp_fold_note_carried (struct gomp_fold_id *me);

/* The same.  C carries for WORKER from now on: bind it there.  WATCHING: the
   calling thread is the watching one.  */
extern void gomp_fold_place (struct gomp_fold_carrier *c,
			     const struct gomp_fold_worker *worker,
			     bool watching);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_CARRY_H */
