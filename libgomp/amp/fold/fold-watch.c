/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Looks every 20 ms for workers that have not switched and have an id that
   could run.  */

#define _GNU_SOURCE 1
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include "fold/fold.h"
#include "fold/fold-bind.h"
#include "fold/fold-count.h"
#include "fold/fold-kernel.h"
#include "fold/fold-pool.h"
#include "fold/fold-rescue.h"
#include "fold/fold-team.h"
#include "fold/fold-watch.h"
#include "base/message.h"

#define LOOK_NS 20000000

/* Others are woken when an id has used the CPU for this many looks, and up to
   as many more: it may be busy.  The random part makes its next steps
   independent of the time of the wake.  */
#define PATIENCE 10

/* A thread that goes on within this many looks after another one was woken
   early had waited for that one.  A busy thread does so by chance only, in less
   than one of three cases: 4 of 10 to 20 looks.  */
#define SOON 4

/* A region in which that happened this often, and in three of four cases, is no
   longer folded.  */
#define MOST_HELPED 8

static bool
too_often (struct gomp_fold_cases cases)
{
  return cases.helped >= MOST_HELPED && cases.helped * 4 >= cases.all * 3;
}

/* The watching thread ends after this many looks without a region.  The next
   region starts another one.  */
#define IDLE_LOOKS 50

/* A region is no longer folded if more than this many wakes for each id were
   early while some worker parked no id.  In a long loop each id is woken early
   once at most, and then the barrier parks ids of every worker.  */
#define MOST_RESCUES 2

/* Guards the list of pools, and threads that are bound or end.  The watching
   thread holds it while it looks, so that pools and threads stay as long.  */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gomp_fold_pool *pools;

/* There is a thread that watches.  Under LOCK.  */
static bool watching;

/* 1 if that thread may have ended though there are pools.  */
static int idle;

static unsigned
steps_of (const struct gomp_fold_id *id)
{
  const struct gomp_fold_thread *thread = (const void *) id;

  return __atomic_load_n (&thread->steps, __ATOMIC_RELAXED);
}

/* PATIENCE with its random part.  */

static unsigned
random_patience (void)
{
  static unsigned seed = 1;

  seed = seed * 1103515245 + 12345;
  return PATIENCE + (seed >> 16) % PATIENCE;
}

static bool
wake_early (struct gomp_fold_worker *w)
{
  bool woke = gomp_fold_wake_early (w);

  w->count.tries++;
  w->count.early += woke;
  return woke;
}

/* Look at W, which runs the region FN, and wake an id early if W seems to be
   kept from it.  Returns whether it did.  Store in *JUDGED a region that is to
   be folded no longer.  */

static bool
look_at_worker (struct gomp_fold_worker *w, gomp_fold_region_fn fn,
		gomp_fold_region_fn *judged)
{
  unsigned word = __atomic_load_n (&w->word, __ATOMIC_RELAXED);
  enum gomp_fold_activity activity;
  struct gomp_fold_id *holder;
  unsigned at;

  if (w->watch.stuck != NULL)
    {
      w->watch.stuck_for++;
      if (steps_of (w->watch.stuck) != w->watch.stuck_at)
	{
	  w->watch.stuck = NULL;
	  if (too_often (gomp_fold_note_case (w->watch.stuck_in,
					      w->watch.stuck_for <= SOON)))
	    *judged = w->watch.stuck_in;
	}
    }
  if (word != w->count.seen || !(word & GOMP_FOLD_HELD)
      || (word & GOMP_FOLD_ASLEEP))
    {
      gomp_fold_count_events (w, word);
      w->watch.same = 0;
      w->watch.patience = random_patience ();
      return false;
    }
  holder = __atomic_load_n (&w->holder, __ATOMIC_RELAXED);
  if (holder == NULL)
    return false;
  activity = gomp_fold_look_up_activity (__atomic_load_n (&holder->tid,
							  __ATOMIC_RELAXED));
  w->watch.same = activity == GOMP_FOLD_WAITS ? 0 : w->watch.same + 1;
  if (activity == GOMP_FOLD_WAITS
      || (w->watch.same < w->watch.patience && activity != GOMP_FOLD_SLEEPS))
    return false;
  w->watch.start++;
  w->watch.same = 0;
  at = steps_of (holder);
  if (!wake_early (w))
    return false;
  w->watch.stuck = holder;
  w->watch.stuck_in = fn;
  w->watch.stuck_at = at;
  w->watch.stuck_for = 0;
  return true;
}

/* Whether each worker of TEAM whose ids take turns has parked an id since the
   last fresh start; if so, this is one.  */

static bool
all_parked (struct gomp_fold_team *team)
{
  for (unsigned w = 0; w < team->workers; w++)
    if (team->worker[w].slots > 1
	&& (__atomic_load_n (&team->worker[w].word, __ATOMIC_RELAXED)
	    / GOMP_FOLD_EVENT == team->worker[w].watch.start))
      return false;
  for (unsigned w = 0; w < team->workers; w++)
    team->worker[w].watch.start
      = (__atomic_load_n (&team->worker[w].word, __ATOMIC_RELAXED)
	 / GOMP_FOLD_EVENT);
  return true;
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

/* Whether the program has bound a thread of FOLD: one that was bound elsewhere
   at two looks.  */

static bool
bound_by_program (struct gomp_fold_pool *fold)
{
  bool before = fold->seen_foreign;

  fold->seen_foreign = false;
  for (struct gomp_fold_thread *thread
	 = __atomic_load_n (&fold->threads, __ATOMIC_ACQUIRE);
       thread != NULL; thread = thread->next)
    fold->seen_foreign |= gomp_fold_bound_elsewhere (thread);
  return before && fold->seen_foreign;
}

static void
look_at_team (struct gomp_fold_pool *fold, struct gomp_fold_team *team)
{
  gomp_fold_region_fn fn = __atomic_load_n (&fold->fn, __ATOMIC_RELAXED);
  gomp_fold_region_fn judged = NULL;
  unsigned early = 0;

  if (gomp_fold_unfolded_p (fn))
    {
      /* Ids were moved into a new team at that moment.  */
      unfold (fold, team);
      return;
    }
  if (all_parked (team) || fn != fold->seen_fn)
    fold->rescues = 0;
  fold->seen_fn = fn;
  for (unsigned w = 0; w < team->workers; w++)
    early += look_at_worker (&team->worker[w], fn, &judged);
  if (early != 0)
    {
      gomp_fold_note_early (fn, early);
      __atomic_store_n (&fold->woken, true, __ATOMIC_RELAXED);
    }
  fold->rescues += early;
  if (fold->rescues > MOST_RESCUES * team->ids)
    judged = fn;
  if (judged == NULL)
    return;
  if (!gomp_fold_note_unfolded (judged))
    __atomic_store_n (&fold->off, true, __ATOMIC_RELAXED);
  if (judged == fn)
    unfold (fold, team);
}

/* Returns whether FOLD runs a region in which ids take turns.  */

static bool
look_at_pool (struct gomp_fold_pool *fold)
{
  bool runs = __atomic_load_n (&fold->runs, __ATOMIC_SEQ_CST);
  struct gomp_fold_team *team = __atomic_load_n (&fold->team, __ATOMIC_ACQUIRE);

  if (team == NULL)
    return runs;
  /* As a member we keep the team from being reset.  Sequentially consistent, as
     in gomp_fold_get_team: either it sees us, or we see another team.  */
  __atomic_fetch_add (&team->members, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n (&fold->team, __ATOMIC_SEQ_CST) != team)
    ;
  else if (runs && gomp_fold_look_at_call (fold, team))
    ;
  else if (!team->takes_turns)
    runs = false;
  else if (!__atomic_load_n (&team->disbanded, __ATOMIC_RELAXED))
    {
      /* The same.  */
      if (__atomic_load_n (&fold->off, __ATOMIC_RELAXED))
	gomp_fold_disband_team (team);
      else if (bound_by_program (fold))
	leave_alone (fold, team);
      else if (runs)
	look_at_team (fold, team);
    }
  __atomic_fetch_sub (&team->members, 1, __ATOMIC_RELEASE);
  return runs;
}

/* Returns whether any region runs.  Under LOCK.  */

static bool
look (void)
{
  bool any = false;

  for (struct gomp_fold_pool *fold = pools; fold != NULL; fold = fold->next)
    any |= look_at_pool (fold);
  return any;
}

/* After WITHOUT looks without a region: whether to watch no longer.  Under
   LOCK.  */

static bool
may_end (unsigned without)
{
  /* A process whose initial thread has ended lives as long as this one.  */
  if (pools == NULL)
    return true;
  if (without < IDLE_LOOKS)
    return false;
  /* Sequentially consistent, as in gomp_fold_region: either we see the region,
     or the thread that runs it sees that we are idle.  */
  __atomic_store_n (&idle, 1, __ATOMIC_SEQ_CST);
  if (!look ())
    return true;
  __atomic_store_n (&idle, 0, __ATOMIC_SEQ_CST);
  return false;
}

static void *
watch (void *arg __attribute__ ((unused)))
{
  struct timespec pause = { 0, LOOK_NS };
  unsigned without = 0;
  bool end;

  do
    {
      nanosleep (&pause, NULL);
      pthread_mutex_lock (&lock);
      without = look () ? 0 : without + 1;
      end = may_end (without);
      if (end)
	watching = false;
      pthread_mutex_unlock (&lock);
    }
  while (!end);
  return NULL;
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
  watching = pthread_create (&thread, &attr, watch, NULL) == 0;
  if (watching)
    __atomic_store_n (&idle, 0, __ATOMIC_SEQ_CST);
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

/* FOLD's region is to run, and perhaps no thread watches.  */

static void
watch_again (struct gomp_fold_pool *fold)
{
  pthread_mutex_lock (&lock);
  if (!watching)
    start_watching ();
  if (!watching)
    {
      fold->off = true;
      gomp_fold_disband_team (fold->team);
    }
  pthread_mutex_unlock (&lock);
}

void
gomp_fold_region (struct gomp_fold_pool *fold, bool runs)
{
  __atomic_store_n (&fold->runs, runs, __ATOMIC_SEQ_CST);
  if (runs && (fold->called || fold->team->takes_turns)
      && __builtin_expect (__atomic_load_n (&idle, __ATOMIC_SEQ_CST), 0))
    watch_again (fold);
}
