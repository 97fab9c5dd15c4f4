/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Binds the threads of folded teams to the CPUs of their workers.  */

#define _GNU_SOURCE 1
#include "libgomp.h"
#include <alloca.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "machine/cpu.h"
#include "fold/fold.h"
#include "fold/fold-bind.h"
#include "fold/fold-follow.h"
#include "fold/fold-pool.h"
#include "fold/fold-setup.h"
#include "fold/fold-watch.h"

#ifdef GOMP_AMP_VIRTUAL
# define sched_getaffinity gomp_virtual_getaffinity
# define set_affinity gomp_virtual_setaffinity
#else
/* Not the C library's function: libamp-yield.so takes a call of that for the
   program's.  */
# define set_affinity(tid, size, set) \
  syscall (SYS_sched_setaffinity, tid, size, set)
#endif

/* In how many regions the initial thread is bound from the start after it was
   found on another CPU than its worker's.  */
#define REGIONS_BOUND 16

void
gomp_fold_set_mask (int tid, const void *mask)
{
  set_affinity (tid, gomp_fold_mask_size, mask);
}

void
gomp_fold_bind_thread (int tid, unsigned worker)
{
  const struct gomp_fold_allowed *allowed = gomp_fold_allowed ();
  size_t size = CPU_ALLOC_SIZE (gomp_fold_workers.cpu[worker] + 1);
  cpu_set_t *set = alloca (size);

  if (allowed->speed[worker] == 0)
    {
      gomp_fold_set_mask (tid, allowed->room);
      return;
    }
  CPU_ZERO_S (size, set);
  CPU_SET_S (gomp_fold_workers.cpu[worker], size, set);
  set_affinity (tid, size, set);
}

/* Whether SET is the mask of WORKER.  */

static bool
is_mask_of (const cpu_set_t *set, unsigned worker)
{
  return (CPU_COUNT_S (gomp_fold_mask_size, set) == 1
	  && CPU_ISSET_S (gomp_fold_workers.cpu[worker], gomp_fold_mask_size,
			  set));
}

bool
gomp_fold_has_mask_of (int tid, unsigned worker)
{
  cpu_set_t *set = alloca (gomp_fold_mask_size);

  return (sched_getaffinity (tid, gomp_fold_mask_size, set) != 0
	  || is_mask_of (set, worker));
}

bool
gomp_fold_has_process_mask (void)
{
  cpu_set_t *set = alloca (gomp_fold_mask_size);

  return (sched_getaffinity (0, gomp_fold_mask_size, set) == 0
	  && gomp_fold_is_process_mask (set));
}

unsigned
gomp_fold_num_procs (unsigned procs)
{
  const struct gomp_thread *thr = gomp_thread ();
  cpu_set_t *set = alloca (gomp_fold_mask_size);

  /* Outside of regions, and in threads of its own, the program may have said
     where the thread runs.  */
  if ((thr->amp_fold == NULL || thr->ts.level == 0)
      && sched_getaffinity (0, gomp_fold_mask_size, set) == 0
      && !gomp_fold_is_process_mask (set))
    return CPU_COUNT_S (gomp_fold_mask_size, set);
  return gomp_fold_workers.ids > procs ? gomp_fold_workers.ids : procs;
}

void
gomp_fold_unbind_made (const struct gomp_fold_pool *fold,
		       const struct gomp_fold_thread *first)
{
  int tid = __atomic_load_n (&first->tid, __ATOMIC_RELAXED);
  cpu_set_t *set = alloca (gomp_fold_mask_size);
  /* FIRST is bound only if it had the mask of the process.  */
  bool same = ((__atomic_load_n (&fold->bound, __ATOMIC_RELAXED)
		&& gomp_fold_has_mask_of (tid, __atomic_load_n
					  (&fold->home, __ATOMIC_RELAXED)))
	       || sched_getaffinity (tid, gomp_fold_mask_size, set) != 0);

  /* Nobody looks at this thread's mask later.  */
  if (same)
    gomp_fold_get_process_mask (set);
  gomp_fold_set_mask (0, set);
}

/* Whether the program has not given SET, the mask of a thread that was bound to
   WORKER: it is the worker's, or one that the library gives threads of workers
   that may not run, or that of the process, now or before.  */

static bool
is_ours (const cpu_set_t *set, unsigned worker)
{
  return (is_mask_of (set, worker) || gomp_fold_is_known_mask (set)
	  || gomp_fold_is_process_mask (set));
}

void
gomp_fold_unbind_thread (int tid, unsigned worker)
{
  cpu_set_t *set = alloca (gomp_fold_mask_size);

  if (sched_getaffinity (tid, gomp_fold_mask_size, set) == 0
      && !is_ours (set, worker))
    return;
  gomp_fold_get_process_mask (set);
  gomp_fold_set_mask (tid, set);
}

bool
gomp_fold_bound_elsewhere (const struct gomp_fold_thread *thread)
{
  int bound = __atomic_load_n (&thread->bound, __ATOMIC_RELAXED);
  int tid = __atomic_load_n (&thread->tid, __ATOMIC_RELAXED);
  cpu_set_t *set = alloca (gomp_fold_mask_size);

  return (bound >= 0 && tid != 0
	  && sched_getaffinity (tid, gomp_fold_mask_size, set) == 0
	  && !is_ours (set, bound)
	  && bound == __atomic_load_n (&thread->bound, __ATOMIC_RELAXED));
}

void
gomp_fold_bind_unwatched (struct gomp_fold_pool *fold,
			  struct gomp_fold_thread *thread, unsigned worker)
{
  cpu_set_t *set = alloca (gomp_fold_mask_size);
  /* Relaxed: written by this thread, or under the lock that it holds.  */
  int bound = __atomic_load_n (&thread->bound, __ATOMIC_RELAXED);
  int tid = __atomic_load_n (&thread->tid, __ATOMIC_RELAXED);

  if (bound == (int) worker || tid == 0
      || __atomic_load_n (&fold->off, __ATOMIC_RELAXED))
    return;
  if (bound >= 0 && sched_getaffinity (tid, gomp_fold_mask_size, set) == 0
      && !is_ours (set, bound))
    return;
  gomp_fold_bind_thread (tid, worker);
  __atomic_store_n (&thread->bound, (int) worker, __ATOMIC_RELAXED);
}

void
gomp_fold_bind_to (struct gomp_fold_pool *fold,
		   struct gomp_fold_thread *thread, unsigned worker)
{
  if (__atomic_load_n (&thread->bound, __ATOMIC_RELAXED) == (int) worker)
    return;
  gomp_fold_pause_watch ();
  gomp_fold_bind_unwatched (fold, thread, worker);
  gomp_fold_resume_watch ();
}

void
gomp_fold_let_go (struct gomp_fold_pool *fold, struct gomp_fold_thread *thread)
{
  int bound = __atomic_load_n (&thread->bound, __ATOMIC_RELAXED);

  if (thread->number == 0)
    {
      if (fold->bound)
	gomp_fold_unbind_first (fold);
      return;
    }
  /* If the watching thread has taken BOUND it unbinds this thread.  */
  if (bound >= 0)
    bound = __atomic_exchange_n (&thread->bound, -1, __ATOMIC_RELAXED);
  if (bound >= 0)
    gomp_fold_unbind_thread (0, bound);
}

/* THREAD, which is not the first one of its pool, is bound, or has just been
   let go if BOUND is -1, and has the mask SET, which others than the program
   have given it.  Give it the one that it is to have.  */

static void
settle (struct gomp_fold_thread *thread, int bound, const cpu_set_t *set)
{
  const struct gomp_fold_allowed *allowed = gomp_fold_allowed ();
  unsigned own = bound >= 0 ? (unsigned) bound : 0;
  int tid = __atomic_load_n (&thread->tid, __ATOMIC_RELAXED);
  int expected = bound;

  if (bound < 0)
    {
      gomp_fold_set_mask (tid, allowed->mask);
      return;
    }
  if (allowed->speed[own] != 0 ? is_mask_of (set, own)
      : CPU_EQUAL_S (gomp_fold_mask_size, set,
		     (const cpu_set_t *) allowed->room))
    return;
  /* A thread that lets itself go takes BOUND, and then its mask stays.  */
  if (!__atomic_compare_exchange_n (&thread->bound, &expected, -1, false,
				    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    return;
  gomp_fold_bind_thread (tid, own);
  __atomic_store_n (&thread->bound, (int) own, __ATOMIC_RELAXED);
}

/* The same for THREAD, the first one of FOLD, which lets itself go at the end
   of a region.  */

static void
settle_first (const struct gomp_fold_pool *fold, int tid, const cpu_set_t *set)
{
  const struct gomp_fold_allowed *allowed = gomp_fold_allowed ();
  const struct gomp_fold_allowed *former
    = __atomic_load_n (&gomp_fold_former, __ATOMIC_ACQUIRE);
  unsigned home = __atomic_load_n (&fold->home, __ATOMIC_RELAXED);

  if (__atomic_load_n (&fold->bound, __ATOMIC_RELAXED))
    {
      if (allowed->speed[home] == 0 && is_mask_of (set, home))
	gomp_fold_set_mask (tid, allowed->room);
    }
  else if (CPU_EQUAL_S (gomp_fold_mask_size, set,
			(const cpu_set_t *) former->mask))
    gomp_fold_set_mask (tid, allowed->mask);
}

bool
gomp_fold_settle (struct gomp_fold_pool *fold, struct gomp_fold_thread *thread,
		  bool changed)
{
  int bound = __atomic_load_n (&thread->bound, __ATOMIC_RELAXED);
  int tid = __atomic_load_n (&thread->tid, __ATOMIC_RELAXED);
  cpu_set_t *set = alloca (gomp_fold_mask_size);

  if (tid == 0 || (bound < 0 && !changed)
      || sched_getaffinity (tid, gomp_fold_mask_size, set) != 0)
    return true;
  if (thread->number == 0)
    settle_first (fold, tid, set);
  else if (bound >= 0 ? is_ours (set, bound)
	   : CPU_EQUAL_S (gomp_fold_mask_size, set,
			  (const cpu_set_t *) gomp_fold_former->mask))
    settle (thread, bound, set);
  else
    return (bound < 0
	    || bound != __atomic_load_n (&thread->bound, __ATOMIC_RELAXED));
  return true;
}

/* The calling thread is id 0 of FOLD's present team, and has not been bound in
   this region.  Bind it, unless the program gave it a mask of its own.  */

static void
bind_first (struct gomp_fold_pool *fold)
{
  if (!gomp_fold_has_process_mask ())
    return;
  __atomic_store_n (&fold->bound, true, __ATOMIC_RELAXED);
  gomp_fold_bind_thread (0, fold->home);
}

void
gomp_fold_keep_first (struct gomp_fold_pool *fold)
{
  unsigned cpu = gomp_fold_workers.cpu[fold->home];

  if (fold->bound || gomp_amp_current_cpu () == (int) cpu)
    return;
  bind_first (fold);
  if (fold->bound)
    fold->strays = REGIONS_BOUND;
}

void
gomp_fold_move_first (struct gomp_fold_pool *fold, unsigned worker)
{
  if (worker == fold->home)
    return;
  if (fold->bound)
    gomp_fold_unbind_first (fold);
  __atomic_store_n (&fold->home, worker, __ATOMIC_RELAXED);
}

void
gomp_fold_start_first (struct gomp_fold_pool *fold)
{
  if (fold->strays == 0)
    {
      gomp_fold_keep_first (fold);
      return;
    }
  fold->strays--;
  bind_first (fold);
}

void
gomp_fold_unbind_first (struct gomp_fold_pool *fold)
{
  gomp_fold_unbind_thread (0, fold->home);
  __atomic_store_n (&fold->bound, false, __ATOMIC_RELAXED);
}

/* What follows is called by libamp-yield.so.  */

/* The thread whose kernel thread the calling id runs on, and its pool, if it
   may be bound; else NULL.  */

static struct gomp_fold_thread *
find_own (struct gomp_fold_pool **fold)
{
  struct gomp_thread *thr = gomp_thread ();

  if (!gomp_fold_on || thr->amp_fold == NULL || thr->thread_pool == NULL)
    return NULL;
  *fold = thr->thread_pool->amp_fold;
  return *fold != NULL ? gomp_fold_thread_of (thr->amp_fold->id.on) : NULL;
}

/* Whether the calling thread is not ON but that of a child process, which may
   have the memory of its parent.  */

static bool
in_child (const struct gomp_fold_thread *on)
{
  return syscall (SYS_gettid) != __atomic_load_n (&on->tid, __ATOMIC_RELAXED);
}

int
gomp_amp_loosen (void)
{
  struct gomp_fold_pool *fold;
  struct gomp_fold_thread *on = find_own (&fold);
  int worker;

  if (on == NULL)
    return 0;
  if (on->number == 0)
    worker = fold->bound ? (int) fold->home : -1;
  else if (in_child (on))
    worker = __atomic_load_n (&on->bound, __ATOMIC_RELAXED);
  else
    /* The watching thread looks at it, and must not miss the mask.  */
    worker = __atomic_exchange_n (&on->bound, -1, __ATOMIC_RELAXED);
  if (worker < 0)
    return 0;
  if (on->number == 0 && !in_child (on))
    gomp_fold_unbind_first (fold);
  else
    gomp_fold_unbind_thread (0, worker);
  return worker + 1;
}

void
gomp_amp_fasten (int loosened)
{
  struct gomp_fold_pool *fold;
  struct gomp_fold_thread *on = find_own (&fold);

  if (on == NULL || loosened == 0)
    return;
  if (in_child (on))
    gomp_fold_bind_thread (0, loosened - 1);
  else if (on->number == 0)
    bind_first (fold);
  else
    gomp_fold_bind_to (fold, on, loosened - 1);
}

void
gomp_amp_mask_is_set (void)
{
  struct gomp_fold_pool *fold;
  const struct gomp_fold_thread *on = find_own (&fold);

  if (on != NULL && on->number == 0 && !in_child (on))
    __atomic_store_n (&fold->bound, false, __ATOMIC_RELAXED);
}
