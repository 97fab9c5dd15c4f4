/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Turns: of the ids of a worker one runs at a time.

   An id is a thread number of a folded team with its thread.  A worker is a
   core's turn; it owns some ids, and the one that HOLDS its turn runs.  Turns
   change hands where libgomp waits.  The thread that would wait parks: it
   publishes the word that it waits for, gives the turn to an id that can run,
   and sleeps until another thread gives it the turn.

   The states of an id:

     RUNS     its thread runs, with the turn or beside it (born so, or woken
	      early), or is about to park.
     PARKED   its thread sleeps, or is about to.  Any thread may claim it.
     CLAIMED  exactly one other thread looks at the word that it waits for.
	      That thread puts the id back to PARKED, or gives it one of the
	      following.
     TURN     it has been given the turn.
     TIMEOUT  the same, and its wait returns as if it had only spun.
     BESIDE   it is to run without the turn.

   The rules, and their reasons:

   1. Only the thread that claimed an id reads the word that it waits for.  An
      id that runs may free the memory of that word.
   2. HELD in a worker's word means that some thread is responsible for the
      turn.  To give the turn up a thread clears HELD by a compare and swap that
      fails if an id has parked since the thread looked for one: an id that
      parks adds to the word after it is PARKED.  So either the thread that
      leaves sees the parked id, or the thread that parks sees that the turn is
      free, and passes it on.  A thread that put back an id adds as well, since
      others may have skipped the id meanwhile.
   3. The same holds for a worker that goes to sleep: it sets ASLEEP by a
      compare and swap, and the word is among those on which it sleeps.
   4. A worker sleeps only on words whose writers wake sleepers.  An id that
      parked out of a spin (SPIN) waits for a word that is not woken yet.  Such
      an id is given TIMEOUT before its worker sleeps, so that it publishes its
      waiter's flag and comes back with SLEEP.
   5. The kernel may wake the thread that sleeps for a worker for several words
      at once, of which the next id needs one.  That thread wakes one sleeper of
      each word that is not its own or the worker's, so that none of those that
      sleep elsewhere misses its only wake.  It need not where an id still waits
      for the word as it is.
   6. An id may change its worker.  A thread that claims an id of a slot, and
      finds that it belongs to another worker by then, wakes it early, which is
      always right.
   7. Nothing is locked.  A thread that is preempted between any two steps keeps
      no other id from running, except one that it has claimed, which stays
      parked until the thread goes on.

   Orders: a state is stored with release and claimed with acquire, so that the
   claimer sees the word that the id waits for, and the id sees what the thread
   that gave it the turn did.  All that changes a worker's word is a
   read-modify-write of one location, hence totally ordered, and acquires and
   releases: a thread that reads an addition sees the PARKED before it.  */

#ifndef GOMP_AMP_FOLD_TURN_H
#define GOMP_AMP_FOLD_TURN_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

enum gomp_fold_state
{
  GOMP_FOLD_RUNS,
  GOMP_FOLD_PARKED,
  GOMP_FOLD_CLAIMED,
  GOMP_FOLD_TURN,
  GOMP_FOLD_TIMEOUT,
  GOMP_FOLD_BESIDE
};

/* How an id waits.  */
enum gomp_fold_way
{
  /* Until the word changes; its writers do not wake sleepers yet.  */
  GOMP_FOLD_SPIN,
  /* Until the word changes; its writers wake sleepers.  */
  GOMP_FOLD_SLEEP,
  /* The same, for the next region: a ring ends the wait of the id that holds
     the turn, and gomp_fold_wake_docked that of a parked one.  */
  GOMP_FOLD_DOCK,
  /* For nothing: others come first.  */
  GOMP_FOLD_YIELD
};

struct gomp_fold_worker;

struct gomp_fold_id
{
  /* enum gomp_fold_state; its thread sleeps on it.  */
  int state __attribute__ ((aligned (64)));
  /* It waits until *ADDR is not VAL.  Its thread writes these while it
     runs.  */
  int *addr;
  int val;
  unsigned char way;
  /* Its thread holds the turn of WORKER.  For that thread only.  */
  bool turn;
  /* Where the worker keeps it.  Constant from gomp_fold_join on.  */
  unsigned slot;
  /* The kernel's number of its thread, for the watching thread.  Set before
     gomp_fold_join.  */
  int tid;
  struct gomp_fold_worker *worker;
};

/* For fold-watch.c, and written by the watching thread.  LOOKS: since the word
   of the worker changed.  CPU_NS: the CPU time of the holder at the first of
   them.  */
struct gomp_fold_watched
{
  unsigned looks;
  unsigned long long cpu_ns;
};

/* For fold-count.c, and under GOMP_AMP_LOCK_COUNTS or written by the watching
   thread.  */
struct gomp_fold_counted
{
  /* The worker's word when its events were last counted.  */
  unsigned seen;
  /* TRIES: how often an id was looked for to wake it early.  EARLY: how often
     there was one.  */
  unsigned tries, early;
  unsigned long long events;
};

struct gomp_fold_worker
{
  /* GOMP_FOLD_HELD, GOMP_FOLD_ASLEEP, GOMP_FOLD_DISBANDED, GOMP_FOLD_RUNG, and
     above them how often an id became visible to others, its events.  The
     thread that sleeps for the worker sleeps on this too.  */
  unsigned word __attribute__ ((aligned (64)));
  /* The id that holds the turn, or held it last; a guess for the watching
     thread.  */
  struct gomp_fold_id *holder;
  unsigned slots;
  /* By slot; NULL where no thread has joined, or its thread has left.  */
  struct gomp_fold_id **id;
  struct gomp_fold_watched watch;
  struct gomp_fold_counted count;
  /* Of fold.c: how many of its ids have come to the end of the region.  */
  unsigned ended;
};

#define GOMP_FOLD_HELD 1
#define GOMP_FOLD_ASLEEP 2
#define GOMP_FOLD_DISBANDED 4
#define GOMP_FOLD_RUNG 8
#define GOMP_FOLD_EVENT 16

/* The result of gomp_fold_wait.  */
enum gomp_fold_result
{
  /* The word may have changed: look at it.  */
  GOMP_FOLD_LOOK,
  /* GOMP_FOLD_SPIN only: it has not changed, and the worker has nothing else to
     run.  Publish that a thread waits, and come back with GOMP_FOLD_SLEEP.  */
  GOMP_FOLD_WAITED,
  /* The worker was disbanded: wait as if nothing was folded.  */
  GOMP_FOLD_ALONE,
  /* GOMP_FOLD_DOCK only: the worker was rung for, and this id answers.  */
  GOMP_FOLD_CALLED
};

/* The calling thread, whose id ID is, is from now on in slot SLOT of WORKER,
   which no other id uses.  It runs beside the turn until it first waits, or
   gomp_fold_begin.  */
extern void gomp_fold_join (struct gomp_fold_id *id,
			    struct gomp_fold_worker *worker, unsigned slot);

/* The calling thread, whose id ID is, no longer belongs to its worker.  It
   hands on the turn if it holds it.  Other threads may look at ID as long as
   the worker exists.  */
extern void gomp_fold_leave (struct gomp_fold_id *id);

/* Wait for the calling thread, whose id ID is, as long as *ADDR is VAL, or
   until there is another reason to look; other ids of the worker run
   meanwhile.  When there are none to run, look SPINS times before the worker
   sleeps.  */
extern enum gomp_fold_result gomp_fold_wait (struct gomp_fold_id *id,
					     int *addr, int val,
					     enum gomp_fold_way way,
					     unsigned long long spins);

/* The calling thread, whose id ID is, begins to work: wait for the turn, unless
   it holds it.  */
extern void gomp_fold_begin (struct gomp_fold_id *id);

/* Let another id of ID's worker run first, if one can.  Returns whether one
   did.  ID belongs to the calling thread.  */
extern bool gomp_fold_yield (struct gomp_fold_id *id);

/* Wake an id of WORKER that can run, so that it runs beside the turn.  Returns
   whether there was one.  Adds one event.  Called by any thread.  */
extern bool gomp_fold_wake_early (struct gomp_fold_worker *worker);

/* Have an id of WORKER that waits by GOMP_FOLD_DOCK, now or later, return
   GOMP_FOLD_CALLED.  Called by any thread.  */
extern void gomp_fold_ring (struct gomp_fold_worker *worker);

/* Whether WORKER was rung for.  If so the calling thread, an id of WORKER, has
   to answer.  */
static inline bool
gomp_fold_take_ring (struct gomp_fold_worker *worker)
{
  /* Relaxed: the exchange looks again.  Acquire what was done before the
     ring.  */
  return (__builtin_expect (__atomic_load_n (&worker->word, __ATOMIC_RELAXED)
			    & GOMP_FOLD_RUNG, 0)
	  && (__atomic_fetch_and (&worker->word, ~GOMP_FOLD_RUNG,
				  __ATOMIC_ACQ_REL) & GOMP_FOLD_RUNG));
}

/* Have all ids of WORKER that are parked by GOMP_FOLD_DOCK run beside the turn,
   and those come back that sleep by gomp_fold_sleep_docked, unless WORKER has
   one id.  Called by any thread.  */
extern void gomp_fold_wake_docked (struct gomp_fold_worker *worker);

/* The calling thread, an id of WORKER, which was disbanded, waits until *ADDR
   is not VAL or until it answers.  It has looked before, and comes back for no
   reason at times.  Returns GOMP_FOLD_LOOK or GOMP_FOLD_CALLED.  */
extern enum gomp_fold_result
gomp_fold_sleep_docked (struct gomp_fold_worker *worker, int *addr, int val);

/* Let all ids of WORKER run, each for itself, from now on.  Called by any
   thread.  */
extern void gomp_fold_disband (struct gomp_fold_worker *worker);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_TURN_H */
