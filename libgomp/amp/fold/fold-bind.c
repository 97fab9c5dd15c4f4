/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Binds the threads of folded teams to the CPUs of their workers.  */

#define _GNU_SOURCE 1
#include "libgomp.h"
#include <sched.h>
#include "machine/cpu.h"
#include "fold/fold.h"
#include "fold/fold-bind.h"
#include "fold/fold-pool.h"
#include "fold/fold-setup.h"
#include "fold/fold-watch.h"

#ifdef GOMP_AMP_VIRTUAL
# define sched_getaffinity gomp_virtual_getaffinity
# define sched_setaffinity gomp_virtual_setaffinity
#endif

/* In how many regions the initial thread is bound from the start after it was
   found on another CPU than its worker's.  */
#define REGIONS_BOUND 16

/* The mask that the process was started with.  */
static cpu_set_t *process_mask;
static size_t mask_size;

bool
gomp_fold_read_mask (void)
{
  unsigned ncpus = gomp_amp_machine ()->ncpus;

  mask_size = CPU_ALLOC_SIZE (ncpus);
  process_mask = CPU_ALLOC (ncpus);
  return (process_mask != NULL
	  && sched_getaffinity (0, mask_size, process_mask) == 0);
}

void
gomp_fold_bind_thread (int tid, unsigned worker)
{
  cpu_set_t *set = CPU_ALLOC (gomp_fold_workers.cpu[worker] + 1);
  size_t size = CPU_ALLOC_SIZE (gomp_fold_workers.cpu[worker] + 1);

  if (set == NULL)
    return;
  CPU_ZERO_S (size, set);
  CPU_SET_S (gomp_fold_workers.cpu[worker], size, set);
  sched_setaffinity (tid, size, set);
  CPU_FREE (set);
}

bool
gomp_fold_has_mask_of (int tid, unsigned worker)
{
  cpu_set_t *set = CPU_ALLOC (mask_size * 8);
  bool has = (set == NULL
	      || sched_getaffinity (tid, mask_size, set) != 0
	      || (CPU_COUNT_S (mask_size, set) == 1
		  && CPU_ISSET_S (gomp_fold_workers.cpu[worker], mask_size,
				  set)));

  CPU_FREE (set);
  return has;
}

bool
gomp_fold_has_process_mask (void)
{
  cpu_set_t *set = CPU_ALLOC (mask_size * 8);
  bool has = (set != NULL
	      && sched_getaffinity (0, mask_size, set) == 0
	      && CPU_EQUAL_S (mask_size, set, process_mask));

  CPU_FREE (set);
  return has;
}

void
gomp_fold_unbind_thread (int tid, unsigned worker)
{
  if (gomp_fold_has_mask_of (tid, worker))
    sched_setaffinity (tid, mask_size, process_mask);
}

void
gomp_fold_unbind_made (const struct gomp_fold_pool *fold,
		       const struct gomp_fold_thread *first)
{
  int tid = __atomic_load_n (&first->id.tid, __ATOMIC_RELAXED);
  cpu_set_t *set = CPU_ALLOC (mask_size * 8);
  /* FIRST is bound only if it had the mask of the process.  */
  bool same = (set == NULL
	       || (__atomic_load_n (&fold->bound, __ATOMIC_RELAXED)
		   && gomp_fold_has_mask_of (tid, __atomic_load_n
					     (&first->own, __ATOMIC_RELAXED)))
	       || sched_getaffinity (tid, mask_size, set) != 0);

  sched_setaffinity (0, mask_size, same ? process_mask : set);
  CPU_FREE (set);
}

bool
gomp_fold_bound_elsewhere (const struct gomp_fold_thread *thread)
{
  int bound = __atomic_load_n (&thread->bound, __ATOMIC_RELAXED);
  int tid = __atomic_load_n (&thread->id.tid, __ATOMIC_RELAXED);

  return (bound >= 0 && tid != 0 && !gomp_fold_has_mask_of (tid, bound)
	  && bound == __atomic_load_n (&thread->bound, __ATOMIC_RELAXED));
}

void
gomp_fold_bind_to (struct gomp_fold_pool *fold, struct gomp_fold_thread *me,
		   unsigned worker)
{
  int bound;

  gomp_fold_hold_watch ();
  /* Relaxed: written by this thread, or under the lock that it holds.  */
  bound = __atomic_load_n (&me->bound, __ATOMIC_RELAXED);
  if (bound != (int) worker && !__atomic_load_n (&fold->off, __ATOMIC_RELAXED)
      && (bound < 0 || gomp_fold_has_mask_of (0, bound)))
    {
      gomp_fold_bind_thread (0, worker);
      __atomic_store_n (&me->bound, (int) worker, __ATOMIC_RELAXED);
    }
  gomp_fold_release_watch ();
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
  fold->home = worker;
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
gomp_fold_hold_first (struct gomp_fold_pool *fold)
{
  if (!fold->bound)
    bind_first (fold);
}

void
gomp_fold_unbind_first (struct gomp_fold_pool *fold)
{
  gomp_fold_unbind_thread (0, fold->home);
  __atomic_store_n (&fold->bound, false, __ATOMIC_RELAXED);
}
