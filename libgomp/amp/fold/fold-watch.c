/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Looks every 20 ms for workers that have not switched and have an id that
   could run, and for masks that were changed from outside.  */

#define _GNU_SOURCE 1
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include "fold/fold.h"
#include "fold/fold-bind.h"
#include "fold/fold-count.h"
#include "fold/fold-follow.h"
#include "fold/fold-kernel.h"
#include "fold/fold-pool.h"
#include "fold/fold-rescue.h"
#include "fold/fold-team.h"
#include "fold/fold-watch.h"
#include "base/message.h"

/* The watching thread sleeps after this many looks without a region.  The next
   region wakes it.  */
#define IDLE_LOOKS 50

/* For so many looks after the process got other CPUs masks are set that the
   library set by what it knew before.  */
#define SETTLE_LOOKS 3

/* The program binds threads if one is bound elsewhere at so many looks in turn.
   A program that gives the process other CPUs sets one mask after the other,
   and may be held up in between.  */
#define FOREIGN_LOOKS 5

/* Whether the kernel is asked about a turn that has just changed hands.  In
   virtual time a thread sleeps whenever other cores are behind.  */
#ifdef GOMP_AMP_VIRTUAL
# define SAMPLES false
#else
# define SAMPLES true
#endif

/* Guards the list of pools, and threads that are bound or end.  The watching
   thread holds it while it looks, so that pools and threads stay as long.  */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gomp_fold_pool *pools;

/* There is a thread that watches.  Under LOCK.  */
static bool watching;

/* 1 if that thread sleeps, on this word, though there are pools.  */
static int idle;

/* For how many looks masks still settle.  For the watching thread.  */
static unsigned settles;

static unsigned
steps_of (const struct gomp_fold_id *id)
{
  const struct gomp_fold_thread *thread = (const void *) id;

  return __atomic_load_n (&thread->steps, __ATOMIC_RELAXED);
}

/* Wake an id of W that can run, or ALL such ids.  Returns how many there
   were.  */

static unsigned
wake_early (struct gomp_fold_worker *w, bool all)
{
  unsigned woken = 0;
  bool another;

  do
    {
      another = gomp_fold_wake_early (w);
      w->count.tries++;
      woken += another;
    }
  while (another && all);
  w->count.early += woken;
  return woken;
}

/* Whether W's turn is held, and by an id that has the CPU if there is work.  */

static inline bool
held (unsigned word)
{
  return (word & GOMP_FOLD_HELD) && !(word & GOMP_FOLD_ASLEEP);
}

/* Whether at most one id of each worker of TEAM runs.  Relaxed: the watching
   thread looks again.  */

static bool
one_at_a_time (const struct gomp_fold_team *team)
{
  for (unsigned w = 0; w < team->workers; w++)
    {
      const struct gomp_fold_worker *worker = &team->worker[w];
      unsigned run = 0;

      for (unsigned slot = 0; slot < worker->slots; slot++)
	{
	  const struct gomp_fold_id *id
	    = __atomic_load_n (&worker->id[slot], __ATOMIC_ACQUIRE);
	  int state = (id != NULL ? __atomic_load_n (&id->state,
						     __ATOMIC_RELAXED)
		       : GOMP_FOLD_PARKED);

	  run += state != GOMP_FOLD_PARKED && state != GOMP_FOLD_CLAIMED;
	}
      if (run > 1)
	return false;
    }
  return true;
}

/* Look at W.  SLEEPERS: ask the kernel even if its turn has just changed hands.
   Set *MOVED if it has.  If an id holds it outside of libgomp store that in *ID
   and return whether it computes or SLEEPS, else return WAITS.  */

static enum gomp_fold_activity
look_at_worker (struct gomp_fold_worker *w, bool sleepers,
		struct gomp_fold_hold *id, bool *moved)
{
  unsigned word = __atomic_load_n (&w->word, __ATOMIC_RELAXED), steps;
  struct gomp_fold_id *holder = __atomic_load_n (&w->holder, __ATOMIC_RELAXED);
  enum gomp_fold_activity activity = GOMP_FOLD_COMPUTES;
  unsigned long long cpu_ns;
  int tid;

  *moved |= word != w->count.seen;
  w->watch.looks = word == w->count.seen ? w->watch.looks + 1 : 0;
  gomp_fold_count_events (w, word);
  if (!held (word) || holder == NULL)
    {
      w->watch.looks = 0;
      return GOMP_FOLD_WAITS;
    }
  tid = __atomic_load_n (&holder->tid, __ATOMIC_RELAXED);
  steps = steps_of (holder);
  cpu_ns = gomp_fold_look_up_cpu_ns (tid);
  if (sleepers || w->watch.looks != 0)
    activity = gomp_fold_look_up_activity (tid);
  if (activity == GOMP_FOLD_WAITS)
    w->watch.looks = 0;
  if (w->watch.looks == 0)
    w->watch.cpu_ns = cpu_ns;
  *id = (struct gomp_fold_hold)
    {
      .steps = &((struct gomp_fold_thread *) holder)->steps,
      .tid = tid,
      .since_ns = w->watch.cpu_ns,
      .looks = w->watch.looks,
      .cpu = (cpu_ns - w->watch.cpu_ns) / GOMP_FOLD_LOOK_NS
    };
  /* While the steps are odd it waits in libgomp.  */
  return (steps % 2 == 0 && steps == steps_of (holder)
	  && word == __atomic_load_n (&w->word, __ATOMIC_RELAXED)
	  ? activity : GOMP_FOLD_WAITS);
}

/* Wake the ids of TEAM that wait for turns which did not change hands since the
   last look.  Returns how many.  */

static unsigned
rescue (struct gomp_fold_team *team)
{
  unsigned woken = 0;

  for (unsigned w = 0; w < team->workers; w++)
    if (team->worker[w].watch.looks != 0)
      woken += wake_early (&team->worker[w], true);
  return woken;
}

/* The ids of FOLD's region, which TEAM runs, wait for each other outside of
   libgomp again and again: let all of them run, wherever the process may.  */

static void
unfold (struct gomp_fold_pool *fold, struct gomp_fold_team *team)
{
  gomp_fold_disband_team (team);
  for (struct gomp_fold_thread *thread
	 = __atomic_load_n (&fold->threads, __ATOMIC_ACQUIRE);
       thread != NULL; thread = thread->next)
    {
      int tid = __atomic_load_n (&thread->id.tid, __ATOMIC_RELAXED);
      int bound = __atomic_exchange_n (&thread->bound, -1, __ATOMIC_RELAXED);

      if (thread->number == 0 && __atomic_load_n (&fold->bound,
						  __ATOMIC_RELAXED))
	bound = __atomic_load_n (&thread->own, __ATOMIC_RELAXED);
      if (tid != 0 && bound >= 0)
	gomp_fold_unbind_thread (tid, bound);
    }
}

/* The program binds threads of FOLD, whose team is TEAM: leave all as they are,
   and fold nothing any more.  */

static void
leave_alone (struct gomp_fold_pool *fold, struct gomp_fold_team *team)
{
  static bool reported;

  /* Sequentially consistent, as in gomp_fold_all_met.  */
  __atomic_store_n (&fold->off, true, __ATOMIC_SEQ_CST);
  for (struct gomp_fold_thread *thread
	 = __atomic_load_n (&fold->threads, __ATOMIC_ACQUIRE);
       thread != NULL; thread = thread->next)
    __atomic_store_n (&thread->bound, -1, __ATOMIC_RELAXED);
  gomp_fold_disband_team (team);
  if (!reported)
    gomp_error ("GOMP_AMP_FOLD: the program binds its threads itself; they"
		" are not folded any more");
  reported = true;
}

/* Set the masks of FOLD's threads that were overwritten from outside.  Returns
   whether the program has bound one.  */

static bool
bound_by_program (struct gomp_fold_pool *fold)
{
  bool foreign = false;

  for (struct gomp_fold_thread *thread
	 = __atomic_load_n (&fold->threads, __ATOMIC_ACQUIRE);
       thread != NULL; thread = thread->next)
    foreign |= !gomp_fold_settle (fold, thread, settles != 0);
  /* Masks that are being changed show nothing.  */
  fold->foreign_looks = foreign && settles == 0 ? fold->foreign_looks + 1 : 0;
  return fold->foreign_looks >= FOREIGN_LOOKS;
}

/* TEAM, FOLD's present one, runs a region.  Note which threads run its workers'
   turns or calls, or wait for all of their ids: one that was woken and gets no
   CPU looks as if it still waited.  */

static void
note_threads (struct gomp_fold_pool *fold, struct gomp_fold_team *team)
{
  for (unsigned w = 0; w < team->workers; w++)
    {
      const struct gomp_fold_worker *worker = &team->worker[w];
      const struct gomp_fold_id *id = NULL;
      unsigned step = 0;
      int tid = 0;

      if (__atomic_load_n (&fold->called, __ATOMIC_RELAXED))
	tid = gomp_fold_running_caller (fold, w, &step);
      else if (worker->slots == 1)
	id = __atomic_load_n (&worker->id[0], __ATOMIC_ACQUIRE);
      else if (worker->slots > 1)
	id = __atomic_load_n (&worker->holder, __ATOMIC_RELAXED);
      if (id != NULL)
	{
	  step = steps_of (id);
	  tid = __atomic_load_n (&id->tid, __ATOMIC_RELAXED);
	}
      if (tid != 0)
	gomp_fold_note_thread (w, tid, step);
      else
	gomp_fold_note_no_thread (w);
    }
}

/* FOLD's team is TEAM.  If that has other workers than may run have it
   replaced.  */

static void
look_at_workers (struct gomp_fold_pool *fold, struct gomp_fold_team *team)
{
  const struct gomp_fold_allowed *allowed = gomp_fold_allowed ();

  if (!gomp_fold_any_allowed (allowed, team->workers))
    {
      unfold (fold, team);
      return;
    }
  if (team->allowed != allowed)
    __atomic_fetch_or (&team->state, GOMP_FOLD_TEAM_STALE, __ATOMIC_RELAXED);
  gomp_fold_revoke (fold, team, allowed);
}

/* Look at the turns of REGION, which TEAM, FOLD's present one, runs, and wake
   ids early that are kept from theirs.  */

static void
look_at_turns (struct gomp_fold_pool *fold, struct gomp_fold_team *team,
	       struct gomp_fold_region *region)
{
  unsigned sampled = region->lost.looks % team->workers, woken = 0;
  bool moved = false, slept = false;

  for (unsigned n = 0; n < team->workers; n++)
    {
      struct gomp_fold_worker *w = &team->worker[n];
      enum gomp_fold_activity activity;
      struct gomp_fold_hold id;
      unsigned others = 0;

      if (w->slots < 2)
	continue;
      /* To ask the kernel takes some 10 us.  */
      activity = look_at_worker (w, SAMPLES && n == sampled, &id, &moved);
      if (activity == GOMP_FOLD_SLEEPS)
	{
	  others = wake_early (w, id.looks != 0);
	  slept |= others != 0;
	}
      else if (activity == GOMP_FOLD_COMPUTES && id.looks != 0
	       && gomp_fold_held (&fold->trial, &region->lost, &id,
				  !fold->aided))
	{
	  others = rescue (team);
	  gomp_fold_note_rescue (&fold->trial, &region->lost, &id,
				 others != 0);
	}
      woken += others;
    }
  gomp_fold_note_look (&region->lost, moved);
  region->lost.slept += slept;
  if (slept)
    fold->trial.of = NULL;
  if (woken != 0)
    {
      fold->aided = true;
      gomp_fold_note_early (region, woken);
    }
}

static void
look_at_team (struct gomp_fold_pool *fold, struct gomp_fold_team *team)
{
  gomp_fold_region_fn fn = __atomic_load_n (&fold->fn, __ATOMIC_RELAXED);
  struct gomp_fold_region *region = gomp_fold_seen_region (fn);

  if (region == NULL)
    {
      /* Without a record its ids could wait forever.  */
      unfold (fold, team);
      return;
    }
  /* Late threads run beside the turns as well.  */
  if (__atomic_load_n (&fold->called, __ATOMIC_RELAXED))
    fold->aided = true;
  else if (fold->aided && one_at_a_time (team))
    fold->aided = false;
  look_at_turns (fold, team, region);
  if (gomp_fold_loses (&region->lost) && !gomp_fold_note_unfolded (region))
    __atomic_store_n (&fold->off, true, __ATOMIC_RELAXED);
  /* Ids may have been moved into a new team when it was unfolded.  */
  if (__atomic_load_n (&region->why, __ATOMIC_RELAXED) == GOMP_FOLD_UNFOLDED)
    unfold (fold, team);
}

/* Returns whether FOLD runs a region in which ids take turns.  */

static bool
look_at_pool (struct gomp_fold_pool *fold)
{
  bool runs = __atomic_load_n (&fold->runs, __ATOMIC_SEQ_CST);
  struct gomp_fold_team *team = __atomic_load_n (&fold->team, __ATOMIC_ACQUIRE);

  if (fold->trial.of != NULL)
    gomp_fold_look_at_trial (&fold->trial,
			     gomp_fold_look_up_cpu_ns (fold->trial.id.tid));
  if (team == NULL)
    return runs;
  /* As a member we keep the team from being reset.  Sequentially consistent, as
     in gomp_fold_get_team: either it sees us, or we see another team.  */
  __atomic_fetch_add (&team->members, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n (&fold->team, __ATOMIC_SEQ_CST) != team)
    ;
  else
    {
      bool off = __atomic_load_n (&fold->off, __ATOMIC_RELAXED);
      bool foreign = !off && bound_by_program (fold);

      if (!off && !gomp_fold_disbanded_p (team))
	{
	  look_at_workers (fold, team);
	  if (SAMPLES && runs)
	    note_threads (fold, team);
	}
      if (runs && gomp_fold_look_at_call (fold, team))
	;
      else if (!team->takes_turns)
	runs = false;
      else if (!gomp_fold_disbanded_p (team))
	{
	  if (off)
	    gomp_fold_disband_team (team);
	  else if (foreign)
	    leave_alone (fold, team);
	  else if (runs)
	    look_at_team (fold, team);
	}
    }
  __atomic_fetch_sub (&team->members, 1, __ATOMIC_RELEASE);
  return runs;
}

/* Returns whether any region runs.  Under LOCK.  */

static bool
look (void)
{
  bool any = false;

  if (gomp_fold_follow ())
    settles = SETTLE_LOOKS;
  else if (settles != 0)
    settles--;
  for (struct gomp_fold_pool *fold = pools; fold != NULL; fold = fold->next)
    any |= look_at_pool (fold);
  return any;
}

/* After WITHOUT looks without a region: whether the watching thread is to sleep
   until the next one.  Under LOCK.  */

static bool
may_sleep (unsigned without)
{
  if (without < IDLE_LOOKS)
    return false;
  /* Sequentially consistent, as in gomp_fold_note_running: either we see the
     region, or the thread that runs it sees that we are idle.  */
  __atomic_store_n (&idle, 1, __ATOMIC_SEQ_CST);
  if (!look ())
    return true;
  __atomic_store_n (&idle, 0, __ATOMIC_SEQ_CST);
  return false;
}

static void *
watch (void *arg __attribute__ ((unused)))
{
  struct timespec pause = { 0, GOMP_FOLD_LOOK_NS };
  unsigned without = 0;
  bool end, sleep;

  gomp_fold_begin_watcher ();
  do
    {
      nanosleep (&pause, NULL);
      pthread_mutex_lock (&lock);
      without = look () ? 0 : without + 1;
      /* A process whose initial thread has ended lives as long as this one.  */
      end = pools == NULL;
      sleep = !end && may_sleep (without);
      if (end)
	{
	  watching = false;
	  gomp_fold_end_watcher ();
	}
      pthread_mutex_unlock (&lock);
      while (sleep && __atomic_load_n (&idle, __ATOMIC_RELAXED))
	gomp_fold_sleep (&idle, 1);
    }
  while (!end);
  return NULL;
}

/* Have the watching thread look again.  */

static void
wake_watcher (void)
{
  if (__atomic_exchange_n (&idle, 0, __ATOMIC_RELAXED))
    gomp_fold_wake (&idle);
}

/* The child of a fork has neither that thread nor the pools' threads.  */

static void
forget (void)
{
  pthread_mutex_init (&lock, NULL);
  gomp_fold_forget_counts ();
  pools = NULL;
  watching = false;
  idle = 0;
  gomp_fold_end_watcher ();
  gomp_fold_begin_child ();
}

static void
start_watching (void)
{
  pthread_attr_t attr;
  pthread_t thread;
  sigset_t all, old;
  static bool registered;

  if (!registered)
    registered = pthread_atfork (NULL, NULL, forget) == 0;
  pthread_attr_init (&attr);
  pthread_attr_setdetachstate (&attr, PTHREAD_CREATE_DETACHED);
  /* The program's signals are not for this thread.  */
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &old);
  watching = (pthread_create) (&thread, &attr, watch, NULL) == 0;
  pthread_sigmask (SIG_SETMASK, &old, NULL);
  pthread_attr_destroy (&attr);
}

void
gomp_fold_watch (struct gomp_fold_pool *fold)
{
  pthread_mutex_lock (&lock);
  fold->next = pools;
  pools = fold;
  if (!watching)
    start_watching ();
  /* Without a watch a program that spins on memory could hang.  */
  fold->off = !watching;
  pthread_mutex_unlock (&lock);
}

void
gomp_fold_unwatch (struct gomp_fold_pool *fold)
{
  pthread_mutex_lock (&lock);
  for (struct gomp_fold_pool **link = &pools; *link != NULL;
       link = &(*link)->next)
    if (*link == fold)
      {
	*link = fold->next;
	break;
      }
  if (pools == NULL)
    wake_watcher ();
  pthread_mutex_unlock (&lock);
}

void
gomp_fold_hold_watch (void)
{
  pthread_mutex_lock (&lock);
}

void
gomp_fold_release_watch (void)
{
  pthread_mutex_unlock (&lock);
}

void
gomp_fold_count_all (void)
{
  pthread_mutex_lock (&lock);
  for (struct gomp_fold_pool *fold = pools; fold != NULL; fold = fold->next)
    for (struct gomp_fold_team *team
	   = __atomic_load_n (&fold->teams, __ATOMIC_ACQUIRE);
	 team != NULL; team = team->next)
      gomp_fold_count_team (team);
  pthread_mutex_unlock (&lock);
}

void
gomp_fold_note_running (struct gomp_fold_pool *fold, bool runs)
{
  __atomic_store_n (&fold->runs, runs, __ATOMIC_SEQ_CST);
  if (runs && (fold->called || fold->team->takes_turns)
      && __builtin_expect (__atomic_load_n (&idle, __ATOMIC_SEQ_CST), 0))
    wake_watcher ();
}
