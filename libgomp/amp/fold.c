/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Folds the teams of a pool: which thread is which id of which worker, on which
   CPU.  */

#define _GNU_SOURCE 1
#include "libgomp.h"
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>
#include "fold.h"
#include "fold-count.h"
#include "fold-kernel.h"
#include "fold-plan.h"
#include "fold-pool.h"
#include "fold-ranges.h"
#include "fold-watch.h"

#ifdef GOMP_AMP_VIRTUAL
# define sched_getaffinity gomp_virtual_getaffinity
# define sched_setaffinity gomp_virtual_setaffinity
# define sched_getcpu gomp_virtual_cpu
/* A wait is one event there.  How long threads spin is known to who wakes
   them.  */
# define gomp_spin_count_var 0
#endif

/* In how many regions the initial thread is bound from the start after it was
   found on another CPU than its worker's.  */
#define REGIONS_BOUND 16

/* After so many failed tests of locks a thread lets another id run.  */
#define GOMP_FOLD_FAILURES 16

bool gomp_fold_on;

/* Constant from start-up on.  */
static struct gomp_fold_plan workers;

/* The mask that the process was started with.  */
static cpu_set_t *process_mask;
static size_t mask_size;

/* The workers that the user asked for, 0 if he did not.  */
static unsigned long asked_workers;

static void
bind_to (unsigned worker)
{
  cpu_set_t *set = CPU_ALLOC (workers.cpu[worker] + 1);
  size_t size = CPU_ALLOC_SIZE (workers.cpu[worker] + 1);

  if (set == NULL)
    return;
  CPU_ZERO_S (size, set);
  CPU_SET_S (workers.cpu[worker], size, set);
  sched_setaffinity (0, size, set);
  CPU_FREE (set);
}

void
gomp_fold_unbind_thread (int tid)
{
  sched_setaffinity (tid, mask_size, process_mask);
}

/* Whether the thread TID, 0 for the calling one, has the mask of WORKER.  True
   if that cannot be found out.  */

static bool
has_mask_of (int tid, unsigned worker)
{
  cpu_set_t *set = CPU_ALLOC (mask_size * 8);
  bool has = (set == NULL
	      || sched_getaffinity (tid, mask_size, set) != 0
	      || (CPU_COUNT_S (mask_size, set) == 1
		  && CPU_ISSET_S (workers.cpu[worker], mask_size,
				  set)));

  CPU_FREE (set);
  return has;
}

bool
gomp_fold_bound_elsewhere (const struct gomp_fold_thread *thread)
{
  /* Acquire: the thread has bound itself before it says so.  */
  int bound = __atomic_load_n (&thread->bound, __ATOMIC_ACQUIRE);
  int tid = __atomic_load_n (&thread->id.tid, __ATOMIC_RELAXED);

  return (bound >= 0 && tid != 0 && !has_mask_of (tid, bound)
	  && bound == __atomic_load_n (&thread->bound, __ATOMIC_RELAXED));
}

void
gomp_fold_unbind (void)
{
  gomp_fold_unbind_thread (0);
}

/* Whether the mask of the calling thread is known.  Sets PROCESS_MASK.  */

static bool
read_mask (void)
{
  unsigned ncpus = gomp_amp_machine ()->ncpus;

  mask_size = CPU_ALLOC_SIZE (ncpus);
  process_mask = CPU_ALLOC (ncpus);
  return (process_mask != NULL
	  && sched_getaffinity (0, mask_size, process_mask) == 0);
}

/* Plan for K ids a worker, or GOMP_AMP_AUTO.  */

static void
plan_for (unsigned long k, struct gomp_fold_plan *plan)
{
  bool ascending;

  if (gomp_amp_only_ordered (&ascending))
    gomp_fold_make_plan (k, asked_workers, ascending, plan);
  else
    *plan = (struct gomp_fold_plan)
      {
	.none = "threads are bound by OMP_PROC_BIND, OMP_PLACES or"
		" GOMP_CPU_AFFINITY"
      };
}

void
gomp_fold_init (bool given)
{
  unsigned long k = gomp_amp_options.fold;

  asked_workers = given ? gomp_global_icv.nthreads_var : 0;
  if (k == 0)
    return;
  plan_for (k, &workers);
  if (workers.none != NULL
      && (gomp_places_list != NULL || asked_workers > GOMP_FOLD_MOST_WORKERS))
    gomp_error ("GOMP_AMP_FOLD has no effect: %s", workers.none);
  if (workers.none == NULL && !read_mask ())
    workers.none = "the kernel does not tell where the process may run";
  if (workers.none == NULL)
    {
      gomp_global_icv.nthreads_var = workers.ids;
      gomp_managed_threads += GOMP_FOLD_BIAS;
      gomp_fold_on = true;
    }
  else
    gomp_amp_bind_in_order ();
}

void
gomp_fold_display (FILE *stream)
{
  struct gomp_fold_plan plan;

  fputs ("  LIBGOMP_AMP_FOLD = '", stream);
  if (gomp_amp_options.fold == 0)
    fputs ("off", stream);
  else
    gomp_fold_show_plan (stream, &workers);
  fputs ("'\n  LIBGOMP_AMP_FOLD_AUTO = '", stream);
  plan_for (GOMP_AMP_AUTO, &plan);
  gomp_fold_show_plan (stream, &plan);
  gomp_fold_free_plan (&plan);
  fputs ("'\n", stream);
}

/* A way to run IDS ids, with no thread in it yet.  NULL if memory is short.  */

static struct gomp_fold_team *
make_team (unsigned ids)
{
  unsigned n = ids < workers.count ? ids : workers.count;
  struct gomp_fold_team *team = calloc (1, sizeof *team);
  size_t size = n * sizeof (struct gomp_fold_worker);

  if (team == NULL)
    return NULL;
  team->ids = ids;
  team->workers = n;
  team->first = malloc ((n + 1) * sizeof (unsigned));
  team->slot = calloc (ids, sizeof (struct gomp_fold_id *));
  if (team->first == NULL || team->slot == NULL
      || posix_memalign ((void **) &team->worker,
			 __alignof__ (struct gomp_fold_worker), size) != 0)
    {
      free (team->slot);
      free (team->first);
      free (team);
      return NULL;
    }
  gomp_fold_cut (ids, n, workers.speed, team->first);
  memset (team->worker, 0, size);
  team->count = gomp_fold_count_for (ids, n, team->first, workers.cpu);
  return team;
}

/* Nobody is in TEAM any more, or yet.  */

static void
reset_team (struct gomp_fold_team *team)
{
  gomp_fold_count_team (team);
  gomp_fold_stop_counting ();
  memset (team->worker, 0, team->workers * sizeof *team->worker);
  team->disbanded = false;
  team->takes_turns = false;
  for (unsigned w = 0; w < team->workers; w++)
    {
      struct gomp_fold_worker *worker = &team->worker[w];

      worker->slots = team->first[w + 1] - team->first[w];
      worker->id = team->slot + team->first[w];
      /* A single id waits as upstream does.  */
      if (worker->slots < 2)
	worker->word = GOMP_FOLD_DISBANDED;
      else
	team->takes_turns = true;
    }
  gomp_fold_go_on_counting ();
}

/* A way to run IDS ids that no thread is in.  NULL if memory is short.  */

static struct gomp_fold_team *
get_team (struct gomp_fold_pool *fold, unsigned ids)
{
  struct gomp_fold_team *team;

  /* Acquire what the last thread did in it.  Sequentially consistent after the
     store of FOLD's team, as in fold-watch.c's enter: who looks is counted, or
     sees that the team is not FOLD's.  */
  for (team = fold->teams; team != NULL; team = team->next)
    if (team->ids == ids
	&& __atomic_load_n (&team->members, __ATOMIC_SEQ_CST) == 0)
      break;
  if (team == NULL)
    {
      team = make_team (ids);
      if (team == NULL)
	return NULL;
      team->next = fold->teams;
      /* Release: who counts at the end of the process reads it.  */
      __atomic_store_n (&fold->teams, team, __ATOMIC_RELEASE);
    }
  reset_team (team);
  return team;
}

/* The calling thread is id 0 of FOLD's present team, and has not been bound in
   this region.  Bind it, unless the program gave it a mask of its own.  */

static void
bind_first (struct gomp_fold_pool *fold)
{
  cpu_set_t *mask = CPU_ALLOC (mask_size * 8);

  if (mask != NULL
      && sched_getaffinity (0, mask_size, mask) == 0
      && CPU_EQUAL_S (mask_size, mask, process_mask))
    {
      __atomic_store_n (&fold->bound, true, __ATOMIC_RELAXED);
      bind_to (0);
    }
  CPU_FREE (mask);
}

/* The same, only if it is not on its worker's CPU.  To bind a thread and to let
   it go again costs as much as a hand-over, and most threads stay where they
   are.  */

static void
keep_first (struct gomp_fold_pool *fold)
{
  if (fold->bound || sched_getcpu () == (int) workers.cpu[0])
    return;
  bind_first (fold);
  if (fold->bound)
    fold->strays = REGIONS_BOUND;
}

/* The calling thread is id 0 of FOLD and has the mask of its worker, unless the
   program has bound it since.  */

static void
unbind_first (struct gomp_fold_pool *fold)
{
  if (has_mask_of (0, 0))
    gomp_fold_unbind ();
  __atomic_store_n (&fold->bound, false, __ATOMIC_RELAXED);
}

void
gomp_fold_start_team (struct gomp_thread_pool *pool, unsigned nthreads,
		      void (*fn) (void *))
{
  struct gomp_fold_pool *fold = pool->amp_fold;
  struct gomp_fold_team *team, *old;
  bool folded;

  if (fold == NULL)
    {
      fold = calloc (1, sizeof *fold);
      if (fold == NULL)
	return;
      __atomic_store_n (&pool->amp_fold, fold, __ATOMIC_RELEASE);
      gomp_fold_watch (fold);
    }
  old = fold->team;
  folded = !(__atomic_load_n (&fold->off, __ATOMIC_RELAXED)
	     || gomp_fold_unfolded_p (fn));
  __atomic_store_n (&fold->fn, fn, __ATOMIC_RELAXED);
  if (old == NULL ? folded
      : (!folded || old->ids != nthreads
	 || __atomic_load_n (&old->disbanded, __ATOMIC_RELAXED)))
    {
      __atomic_store_n (&fold->team, NULL, __ATOMIC_SEQ_CST);
      team = folded ? get_team (fold, nthreads) : NULL;
      /* Release: who sees the team sees its ranges.  */
      __atomic_store_n (&fold->team, team, __ATOMIC_RELEASE);
      for (unsigned w = 0; old != NULL && w < old->workers; w++)
	gomp_fold_disband (&old->worker[w]);
    }
  if (fold->team == NULL)
    return;
  gomp_fold_region (fold, true);
  if (fold->strays != 0)
    {
      fold->strays--;
      bind_first (fold);
    }
  else
    keep_first (fold);
  gomp_fold_begin_region ();
}

void
gomp_fold_begin_child (void)
{
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_fold_thread *me = gomp_fold_on ? thr->amp_fold : NULL;
  struct gomp_fold_pool *fold = (thr->thread_pool != NULL
				 ? thr->thread_pool->amp_fold : NULL);

  if (fold == NULL)
    return;
  /* The threads that look parked do not exist.  */
  fold->off = true;
  fold->team = NULL;
  if (me == NULL)
    return;
  me->team = NULL;
  if (me->number != 0 ? me->bound >= 0 : fold->bound)
    gomp_fold_unbind ();
}

void
gomp_fold_end_team (void)
{
  struct gomp_thread_pool *pool = gomp_thread ()->thread_pool;
  struct gomp_fold_pool *fold = pool != NULL ? pool->amp_fold : NULL;

  if (fold != NULL && fold->runs)
    gomp_fold_region (fold, false);
  if (fold != NULL && fold->bound)
    unbind_first (fold);
}

/* The worker whose CPU ME is bound to, or -1.  Relaxed: who watches may unbind
   ME at any time.  */

static inline int
bound_to (const struct gomp_fold_thread *me)
{
  return __atomic_load_n (&me->bound, __ATOMIC_RELAXED);
}

/* THR is in its fold team no longer.  */

static void
leave (struct gomp_fold_thread *me)
{
  struct gomp_fold_team *team = me->team;

  if (team == NULL)
    return;
  me->team = NULL;
  gomp_fold_leave (&me->id);
  __atomic_fetch_sub (&team->members, 1, __ATOMIC_RELEASE);
}

/* FOLD's record of a thread that has ended and had NUMBER, for the calling
   thread, or else a new one.  NULL if memory is short.  */

static struct gomp_fold_thread *
get_record (struct gomp_fold_pool *fold, unsigned number)
{
  struct gomp_fold_thread *me;

  /* Acquire what the thread that ended did.  */
  for (me = __atomic_load_n (&fold->threads, __ATOMIC_ACQUIRE); me != NULL;
       me = me->next)
    if (me->number == number
	&& __atomic_exchange_n (&me->ended, false, __ATOMIC_ACQUIRE))
      break;
  if (me != NULL)
    {
      __atomic_store_n (&me->id.tid, syscall (SYS_gettid), __ATOMIC_RELAXED);
      return me;
    }
  if (posix_memalign ((void **) &me, __alignof__ (struct gomp_fold_thread),
		      sizeof *me) != 0)
    return NULL;
  memset (me, 0, sizeof *me);
  me->number = number;
  me->id.tid = syscall (SYS_gettid);
  me->bound = -1;
  me->next = __atomic_load_n (&fold->threads, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n (&fold->threads, &me->next, me, true,
				       __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    continue;
  return me;
}

/* THR, the calling thread, whose pool is run as FOLD says, waits for the first
   time in FOLD's present team, TEAM, which may be NULL.  Returns what it
   keeps; NULL if it is not of that team.  */

static struct gomp_fold_thread *
join (struct gomp_thread *thr, struct gomp_fold_pool *fold,
      struct gomp_fold_team *team)
{
  struct gomp_fold_thread *me = thr->amp_fold;
  unsigned number, w;

  if (me == NULL)
    {
      /* The threads of an inner team have the same pool.  */
      if (team == NULL || thr->ts.level != 1)
	return NULL;
      me = get_record (fold, thr->ts.team_id);
      if (me == NULL)
	return NULL;
      thr->amp_fold = me;
    }
  /* Who disbands a team for good unbinds its threads.  */
  if (me->team != NULL
      && __atomic_load_n (&me->team->disbanded, __ATOMIC_RELAXED))
    __atomic_store_n (&me->bound, -1, __ATOMIC_RELAXED);
  leave (me);
  number = me->number;
  if (team == NULL || number >= team->ids)
    {
      if (bound_to (me) >= 0)
	{
	  __atomic_store_n (&me->bound, -1, __ATOMIC_RELAXED);
	  gomp_fold_unbind ();
	}
      return NULL;
    }
  __atomic_fetch_add (&team->members, 1, __ATOMIC_RELAXED);
  /* Between the two TEAM may have been given up: then nobody resets it before
     we leave.  */
  for (w = 0; number >= team->first[w + 1]; w++)
    continue;
  me->team = team;
  if (number != 0 && bound_to (me) != (int) w)
    {
      /* Who watches compares BOUND with the mask while we do this.  */
      __atomic_store_n (&me->bound, -1, __ATOMIC_RELAXED);
      bind_to (w);
      __atomic_store_n (&me->bound, w, __ATOMIC_RELEASE);
    }
  gomp_fold_join (&me->id, &team->worker[w], number - team->first[w]);
  return me;
}

/* What the calling thread keeps if it is of a folded team, or else NULL.  */

static struct gomp_fold_thread *
current (void)
{
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_thread_pool *pool = thr->thread_pool;
  struct gomp_fold_pool *fold;
  struct gomp_fold_team *team;

  if (pool == NULL)
    return NULL;
  fold = __atomic_load_n (&pool->amp_fold, __ATOMIC_ACQUIRE);
  if (fold == NULL)
    return NULL;
  team = __atomic_load_n (&fold->team, __ATOMIC_ACQUIRE);
  if (__builtin_expect (thr->amp_fold != NULL && thr->amp_fold->team == team
			&& team != NULL, 1))
    return thr->amp_fold;
  return join (thr, fold, team);
}

/* ME, the calling thread, takes part in the turns from here on, and no signal
   handler does in its name.  */

static inline void
begin_inside (struct gomp_fold_thread *me)
{
  __atomic_store_n (&me->steps, me->steps + 1, __ATOMIC_RELAXED);
  __atomic_signal_fence (__ATOMIC_SEQ_CST);
}

static inline void
end_inside (struct gomp_fold_thread *me)
{
  __atomic_signal_fence (__ATOMIC_SEQ_CST);
  __atomic_store_n (&me->steps, me->steps + 1, __ATOMIC_RELAXED);
}

void
gomp_fold_begin_region (void)
{
  struct gomp_fold_thread *me = current ();

  if (me == NULL || me->id.turn)
    return;
  begin_inside (me);
  gomp_fold_begin (&me->id);
  end_inside (me);
}

static bool
yield (struct gomp_fold_thread *me)
{
  bool another;

  begin_inside (me);
  another = gomp_fold_yield (&me->id);
  end_inside (me);
  return another;
}

/* How often a thread looks that waits as if nothing was folded.  ME is what it
   keeps as an id of a folded team, or NULL.  */

static unsigned long long
own_spins (const struct gomp_fold_thread *me)
{
  /* Beside workers whose ids take turns the worker of a single id has a core
     to itself, however many ids there are.  place_other may have left the
     team.  */
  if ((me != NULL && me->team != NULL && me->id.worker->slots == 1
       && me->team->takes_turns
       && !workers.share)
      || (__atomic_load_n (&gomp_managed_threads, MEMMODEL_RELAXED)
	  <= gomp_available_cpus + GOMP_FOLD_BIAS))
    return gomp_spin_count_var;
  return gomp_throttled_spin_count_var;
}

/* How often the worker of ME looks before it sleeps.  A worker that spins keeps
   others from its CPU, of its team or of another one.  */

static unsigned long long
worker_spins (const struct gomp_fold_thread *me)
{
  if (workers.share
      || (__atomic_load_n (&gomp_managed_threads, MEMMODEL_RELAXED)
	  > me->team->ids + GOMP_FOLD_BIAS))
    return gomp_throttled_spin_count_var;
  return gomp_spin_count_var;
}

/* ME, the calling thread, is id 0 and has waited, and FOLDED if that was not
   for itself alone: keep it on its worker's CPU as long as the region is
   folded.  */

static void
place_first (struct gomp_fold_thread *me, bool folded)
{
  struct gomp_fold_pool *fold = gomp_thread ()->thread_pool->amp_fold;

  if (folded)
    {
      if (fold->runs)
	keep_first (fold);
    }
  else if (fold->bound
	   && __atomic_load_n (&me->team->disbanded, __ATOMIC_RELAXED))
    unbind_first (fold);
}

/* ME, the calling thread, is another id and has waited, maybe for a region to
   begin: if that is not folded, it is bound no longer.  */

static void
place_other (struct gomp_fold_thread *me)
{
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_fold_pool *fold = thr->thread_pool->amp_fold;

  /* Relaxed: nothing of the team is looked at.  */
  if (__atomic_load_n (&fold->team, __ATOMIC_RELAXED) == NULL
      && bound_to (me) >= 0)
    join (thr, fold, NULL);
}

unsigned
gomp_fold_find_worker (unsigned *worker)
{
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_fold_pool *fold;
  struct gomp_fold_team *team;
  unsigned w;

  if (!gomp_fold_on || thr->ts.team == NULL || thr->ts.level != 1
      || thr->thread_pool == NULL)
    return 0;
  fold = __atomic_load_n (&thr->thread_pool->amp_fold, __ATOMIC_ACQUIRE);
  if (fold == NULL || __atomic_load_n (&fold->off, __ATOMIC_RELAXED))
    return 0;
  /* Acquire its ranges.  The team stays as long as the region.  */
  team = __atomic_load_n (&fold->team, __ATOMIC_ACQUIRE);
  if (team == NULL || team->ids != thr->ts.team->nthreads
      || __atomic_load_n (&team->disbanded, __ATOMIC_RELAXED))
    return 0;
  for (w = 0; thr->ts.team_id >= team->first[w + 1]; w++)
    continue;
  *worker = w;
  return team->workers;
}

int
gomp_fold_wait_for (int *addr, int val, enum gomp_fold_way way,
		    unsigned long long *spins)
{
  struct gomp_fold_thread *me = current ();
  enum gomp_fold_result result;

  if (me != NULL)
    {
      begin_inside (me);
      result = gomp_fold_wait (&me->id, addr, val, way, worker_spins (me));
      end_inside (me);
      if (me->number == 0)
	place_first (me, result != GOMP_FOLD_ALONE);
      else
	place_other (me);
      if (result != GOMP_FOLD_ALONE)
	return result == GOMP_FOLD_WAITED;
    }
  if (spins != NULL)
    *spins = own_spins (me);
  return -1;
}

void
gomp_fold_let_others_run (void)
{
  struct gomp_fold_thread *me = current ();

  if (me != NULL && yield (me))
    return;
#ifndef GOMP_AMP_VIRTUAL
  /* Who is waited for may be of another worker of the same CPU.  */
  if (workers.share)
    {
      syscall (SYS_sched_yield);
      return;
    }
#endif
  gomp_fold_relax ();
}

void
gomp_fold_lock_failed (void)
{
  struct gomp_fold_thread *me = current ();

  if (me != NULL && ++me->failures % GOMP_FOLD_FAILURES == 0)
    yield (me);
}

/* Signal handlers yield, too.  So this does not join, and does nothing when it
   interrupted something that deals with turns: TEAM is NULL while the thread
   leaves, and TURN is set only after it has joined.  */

int
gomp_amp_yield (void)
{
  struct gomp_thread *thr = gomp_thread ();
  struct gomp_fold_thread *me = gomp_fold_on ? thr->amp_fold : NULL;

  return (me != NULL && me->steps % 2 == 0 && me->team != NULL && me->id.turn
	  && yield (me));
}

void
gomp_fold_end_thread (struct gomp_thread *thr)
{
  struct gomp_fold_pool *fold = thr->thread_pool->amp_fold;

  if (thr->amp_fold != NULL)
    {
      leave (thr->amp_fold);
      /* The kernel may give the number to another thread.  */
      __atomic_store_n (&thr->amp_fold->id.tid, 0, __ATOMIC_RELAXED);
      __atomic_store_n (&thr->amp_fold->bound, -1, __ATOMIC_RELAXED);
      __atomic_store_n (&thr->amp_fold->ended, true, __ATOMIC_RELEASE);
      thr->amp_fold = NULL;
    }
  if (fold != NULL)
    {
      /* Release: who sees this may use the slot of the thread.  */
      __atomic_fetch_add (&fold->ended, 1, __ATOMIC_RELEASE);
      gomp_fold_wake (&fold->ended);
    }
}

void
gomp_fold_await_end (struct gomp_thread_pool *pool, unsigned gone)
{
  struct gomp_fold_pool *fold = pool->amp_fold;
  int ended;

  if (fold == NULL)
    return;
  fold->seen += gone;
  while ((ended = __atomic_load_n (&fold->ended, __ATOMIC_ACQUIRE))
	 != fold->seen)
    gomp_fold_sleep (&fold->ended, ended);
}

void
gomp_fold_free_pool (struct gomp_thread_pool *pool)
{
  struct gomp_fold_pool *fold = pool->amp_fold;

  if (fold == NULL)
    return;
  gomp_fold_end_thread (gomp_thread ());
  gomp_fold_unwatch (fold);
  while (fold->teams != NULL)
    {
      struct gomp_fold_team *team = fold->teams;

      /* Threads that left the pool long ago may be on their way out.  */
      while (__atomic_load_n (&team->members, __ATOMIC_ACQUIRE) != 0)
	gomp_fold_relax ();
      fold->teams = team->next;
      gomp_fold_count_team (team);
      free (team->worker);
      free (team->slot);
      free (team->first);
      free (team);
    }
  while (fold->threads != NULL)
    {
      struct gomp_fold_thread *thread = fold->threads;
      fold->threads = thread->next;
      free (thread);
    }
  free (fold);
  pool->amp_fold = NULL;
}
