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
#include "fold/fold-team.h"
#include "fold/fold-watch.h"
#include "base/clock.h"
#include "base/fork-lock.h"
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

/* Whether the kernel is asked about a worker that has just switched, and the
   watching thread follows the CPUs of the process.  In virtual time a thread
   sleeps whenever other cores are behind, and the watching thread is in real
   time.  */
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

/* For how many looks masks still settle.  For the watching thread, and for
   threads that hold the baton.  */
static unsigned settles;

/* The id that W's carrier runs, or NULL.  Relaxed: the watching thread looks
   again.  Records are never freed before the pool.  */

static const struct gomp_fold_thread *
runs (const struct gomp_fold_worker *w)
{
  const struct gomp_fold_carrier *c = __atomic_load_n (&w->carrier,
						       __ATOMIC_RELAXED);

  return (c != NULL
	  ? (const void *) __atomic_load_n (&c->run, __ATOMIC_RELAXED) : NULL);
}

/* The kernel's number of W's carrier, 0 if there is none.  */

static int
tid_of (const struct gomp_fold_worker *w)
{
  const struct gomp_fold_carrier *c = __atomic_load_n (&w->carrier,
						       __ATOMIC_RELAXED);

  return (c != NULL
	  ? __atomic_load_n (&gomp_fold_thread_of (c)->tid, __ATOMIC_RELAXED)
	  : 0);
}

/* Have an id of W that can run go on early, or ALL such ids.  Returns how many
   there were.  */

static unsigned
relieve (struct gomp_fold_worker *w, bool all)
{
  unsigned woken = 0;

  while (gomp_fold_relieve (w))
    {
      woken++;
      if (!all)
	break;
    }
  return woken;
}

/* Whether no id of FOLD runs beside a carrier: each kernel thread that runs one
   carries for a worker.  Relaxed: the watching thread looks again.  */

static bool
none_loose (const struct gomp_fold_pool *fold)
{
  for (const struct gomp_fold_thread *thread
	 = __atomic_load_n (&fold->threads, __ATOMIC_ACQUIRE);
       thread != NULL; thread = thread->next)
    if (__atomic_load_n (&thread->tid, __ATOMIC_RELAXED) != 0
	&& (__atomic_load_n (&thread->id.own.word, __ATOMIC_RELAXED)
	    == GOMP_FOLD_RUNS)
	&& __atomic_load_n (&thread->id.own.of, __ATOMIC_RELAXED) == NULL)
      return false;
  return true;
}

/* Look at W, of which WATCHED is known.  SLEEPERS: ask the kernel even if it
   has just switched.  Set *MOVED if it has.  If its carrier runs an id outside
   of libgomp store that in *HELD and return whether it computes or SLEEPS, else
   return WAITS.  */

static enum gomp_fold_activity
look_at_worker (const struct gomp_fold_worker *w,
		struct gomp_fold_watched *watched, bool sleepers,
		struct gomp_fold_hold *held, bool *moved)
{
  unsigned switches = __atomic_load_n (&w->switches, __ATOMIC_RELAXED), steps;
  const struct gomp_fold_thread *id = runs (w);
  enum gomp_fold_activity activity = GOMP_FOLD_COMPUTES;
  int tid = tid_of (w);
  unsigned long long cpu_ns;

  *moved |= switches != watched->switches;
  watched->looks = switches == watched->switches ? watched->looks + 1 : 0;
  watched->switches = switches;
  if (id == NULL || tid == 0)
    {
      watched->looks = 0;
      return GOMP_FOLD_WAITS;
    }
  steps = __atomic_load_n (&id->steps, __ATOMIC_RELAXED);
  cpu_ns = gomp_fold_look_up_cpu_ns (tid);
  if (sleepers || watched->looks != 0)
    activity = gomp_fold_look_up_activity (tid);
  /* While the steps are odd it waits in libgomp.  */
  if (steps % 2 != 0)
    activity = GOMP_FOLD_WAITS;
  if (activity == GOMP_FOLD_WAITS)
    watched->looks = 0;
  if (watched->looks == 0)
    watched->cpu_ns = cpu_ns;
  *held = (struct gomp_fold_hold)
    {
      .steps = &id->steps,
      .tid = tid,
      .since_ns = watched->cpu_ns,
      .looks = watched->looks,
      .cpu = (cpu_ns - watched->cpu_ns) / GOMP_FOLD_LOOK_NS
    };
  return (id == runs (w)
	  && steps == __atomic_load_n (&id->steps, __ATOMIC_RELAXED)
	  && switches == __atomic_load_n (&w->switches, __ATOMIC_RELAXED)
	  ? activity : GOMP_FOLD_WAITS);
}

/* Have the ids of FOLD go on whose workers have not switched since the last
   look.  Returns how many.  */

static unsigned
rescue (struct gomp_fold_pool *fold)
{
  unsigned woken = 0;

  for (unsigned w = 0; w < fold->crew.workers; w++)
    if (fold->watched[w].looks != 0)
      woken += relieve (&fold->crew.worker[w], true);
  return woken;
}

/* The ids of FOLD's region wait for each other outside of libgomp again and
   again: let all of them run, wherever the process may.  */

static void
unfold (struct gomp_fold_pool *fold)
{
  gomp_fold_set_mode (fold, GOMP_FOLD_FREE);
  for (struct gomp_fold_thread *thread
	 = __atomic_load_n (&fold->threads, __ATOMIC_ACQUIRE);
       thread != NULL; thread = thread->next)
    {
      int tid = __atomic_load_n (&thread->tid, __ATOMIC_RELAXED);
      int bound = __atomic_exchange_n (&thread->bound, -1, __ATOMIC_RELAXED);

      if (thread->number == 0 && __atomic_load_n (&fold->bound,
						  __ATOMIC_RELAXED))
	bound = __atomic_load_n (&fold->home, __ATOMIC_RELAXED);
      if (tid != 0 && bound >= 0)
	gomp_fold_unbind_thread (tid, bound);
    }
}

/* The program binds threads of FOLD: leave all as they are, and fold nothing
   any more.  */

static void
leave_alone (struct gomp_fold_pool *fold)
{
  static bool reported;

  __atomic_store_n (&fold->off, true, __ATOMIC_SEQ_CST);
  for (struct gomp_fold_thread *thread
	 = __atomic_load_n (&fold->threads, __ATOMIC_ACQUIRE);
       thread != NULL; thread = thread->next)
    __atomic_store_n (&thread->bound, -1, __ATOMIC_RELAXED);
  gomp_fold_set_mode (fold, GOMP_FOLD_FREE);
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

/* FOLD runs a region.  Note which kernel threads carry: one that was woken and
   gets no CPU looks as if it still waited.  */

static void
note_threads (struct gomp_fold_pool *fold)
{
  for (unsigned n = 0; n < fold->crew.workers; n++)
    {
      const struct gomp_fold_worker *w = &fold->crew.worker[n];
      const struct gomp_fold_thread *id = runs (w);
      int tid = tid_of (w);

      if (id != NULL && tid != 0)
	gomp_fold_note_thread (n, tid,
			       __atomic_load_n (&id->steps, __ATOMIC_RELAXED)
			       + __atomic_load_n (&w->switches,
						  __ATOMIC_RELAXED));
      else
	gomp_fold_note_no_thread (n);
    }
}

/* Look at REGION, whose ids are carried by FOLD, and have ids go on early whose
   carriers do not come back.  */

static void
look_at_carriers (struct gomp_fold_pool *fold,
		  struct gomp_fold_region *region)
{
  unsigned workers = fold->crew.workers, woken = 0;
  unsigned sampled = region->lost.looks % workers;
  bool moved = false, slept = false;

  for (unsigned n = 0; n < workers; n++)
    {
      struct gomp_fold_worker *w = &fold->crew.worker[n];
      enum gomp_fold_activity activity;
      struct gomp_fold_hold held;
      unsigned others = 0;

      /* To ask the kernel takes some 10 us.  */
      activity = look_at_worker (w, &fold->watched[n],
				 SAMPLES && n == sampled, &held, &moved);
      if (__atomic_load_n (&w->first, __ATOMIC_RELAXED) == NULL)
	continue;
      if (activity == GOMP_FOLD_SLEEPS)
	{
	  others = relieve (w, held.looks != 0);
	  slept |= others != 0;
	}
      else if (activity == GOMP_FOLD_COMPUTES && held.looks != 0
	       && gomp_fold_held (&fold->trial, &region->lost, &held,
				  !fold->aided))
	{
	  others = rescue (fold);
	  gomp_fold_note_rescue (&fold->trial, &region->lost, &held,
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
look_at_region (struct gomp_fold_pool *fold)
{
  gomp_fold_region_fn fn = __atomic_load_n (&fold->fn, __ATOMIC_RELAXED);
  struct gomp_fold_region *region = gomp_fold_seen_region (fn);

  if (region == NULL)
    {
      /* Without a record its ids could wait forever.  */
      unfold (fold);
      return;
    }
  if (fold->aided && none_loose (fold))
    fold->aided = false;
  look_at_carriers (fold, region);
  if (gomp_fold_loses (&region->lost) && !gomp_fold_note_unfolded (region))
    __atomic_store_n (&fold->off, true, __ATOMIC_RELAXED);
  if (__atomic_load_n (&region->why, __ATOMIC_RELAXED) == GOMP_FOLD_UNFOLDED)
    unfold (fold);
}

/* Whether FOLD's region tries another width, and takes so long that its ids
   must wait for each other outside of libgomp: then that is no width for
   it.  */

static bool
fails (const struct gomp_fold_pool *fold)
{
  unsigned long long over = __atomic_load_n (&fold->over, __ATOMIC_RELAXED);

  return SAMPLES && over != 0 && gomp_amp_clock () > over;
}

/* FOLD runs a region whose ids are folded.  */

static void
look_at_folded (struct gomp_fold_pool *fold)
{
  if (__atomic_load_n (&fold->off, __ATOMIC_RELAXED)
      || !gomp_fold_any_allowed (gomp_fold_allowed (), fold->crew.workers))
    unfold (fold);
  else if (bound_by_program (fold))
    leave_alone (fold);
  else if (fails (fold))
    {
      __atomic_store_n (&fold->failed, true, __ATOMIC_RELAXED);
      __atomic_store_n (&fold->over, 0, __ATOMIC_RELAXED);
      unfold (fold);
    }
  else if (gomp_fold_mode (fold) == GOMP_FOLD_CARRIED)
    {
      if (SAMPLES)
	note_threads (fold);
      look_at_region (fold);
    }
}

/* Returns whether FOLD runs a region.  */

static bool
look_at_pool (struct gomp_fold_pool *fold)
{
  bool runs = __atomic_load_n (&fold->runs, __ATOMIC_SEQ_CST);

  if (fold->trial.of != NULL)
    gomp_fold_look_at_trial (&fold->trial,
			     gomp_fold_look_up_cpu_ns (fold->trial.id.tid));
  gomp_amp_acquire (GOMP_AMP_LOCK_COUNTS);
  gomp_fold_count_pool (fold);
  gomp_amp_release (GOMP_AMP_LOCK_COUNTS);
  if (runs && gomp_fold_mode (fold) != GOMP_FOLD_FREE)
    look_at_folded (fold);
  else if (!__atomic_load_n (&fold->off, __ATOMIC_RELAXED)
	   && bound_by_program (fold))
    leave_alone (fold);
  return runs;
}

/* Returns whether any region runs.  Under LOCK.  */

static bool
look (void)
{
  bool any = false;

  if (SAMPLES && gomp_fold_follow ())
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
    {
      gomp_fold_follow_unwatched ();
      start_watching ();
    }
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

#ifdef GOMP_AMP_VIRTUAL
void
gomp_fold_follow_now (void)
{
  if (gomp_fold_follow ())
    settles = SETTLE_LOOKS;
}
#endif

void
gomp_fold_pause_watch (void)
{
  pthread_mutex_lock (&lock);
}

void
gomp_fold_resume_watch (void)
{
  pthread_mutex_unlock (&lock);
}

void
gomp_fold_count_all (void)
{
  pthread_mutex_lock (&lock);
  gomp_amp_acquire (GOMP_AMP_LOCK_COUNTS);
  for (struct gomp_fold_pool *fold = pools; fold != NULL; fold = fold->next)
    gomp_fold_count_pool (fold);
  gomp_amp_release (GOMP_AMP_LOCK_COUNTS);
  pthread_mutex_unlock (&lock);
}

void
gomp_fold_note_running (struct gomp_fold_pool *fold, bool runs)
{
  __atomic_store_n (&fold->runs, runs, __ATOMIC_SEQ_CST);
  if (runs
      && __builtin_expect (__atomic_load_n (&idle, __ATOMIC_SEQ_CST), 0))
    wake_watcher ();
}
