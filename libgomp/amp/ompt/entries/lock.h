/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* OMPT: the entry points of lock.c.  */

#include "ompt/entries/entry.h"

/* With a tool BODY, which returns.  */
#define LOCK_ENTRY(result, name, type, body) \
  GOMP_OMPT_ENTRY (, result, name, (type *lock), (lock),		\
		   if (gomp_amp_locks_p ()) body)
#define CALL(what, lock, kind) \
  gomp_ompt_##what ((lock), (kind), __builtin_return_address (0))

LOCK_ENTRY (void, gomp_init_lock_30, omp_lock_t,
	    {
	      plain_gomp_init_lock_30 (lock);
	      return CALL (lock_init, lock, ompt_mutex_lock);
	    })
LOCK_ENTRY (void, gomp_destroy_lock_30, omp_lock_t,
	    CALL (lock_destroy, lock, ompt_mutex_lock))
LOCK_ENTRY (void, gomp_set_lock_30, omp_lock_t,
	    return CALL (take, lock, ompt_mutex_lock))
LOCK_ENTRY (void, gomp_unset_lock_30, omp_lock_t,
	    return CALL (release, lock, ompt_mutex_lock))
LOCK_ENTRY (int, gomp_test_lock_30, omp_lock_t,
	    {
	      int taken;

	      CALL (acquire, lock, ompt_mutex_test_lock);
	      taken = plain_gomp_test_lock_30 (lock);
	      CALL (acquired, taken ? lock : NULL, ompt_mutex_test_lock);
	      return taken;
	    })
LOCK_ENTRY (void, gomp_init_nest_lock_30, omp_nest_lock_t,
	    {
	      plain_gomp_init_nest_lock_30 (lock);
	      return CALL (lock_init, lock, ompt_mutex_nest_lock);
	    })
LOCK_ENTRY (void, gomp_destroy_nest_lock_30, omp_nest_lock_t,
	    CALL (lock_destroy, lock, ompt_mutex_nest_lock))
LOCK_ENTRY (void, gomp_set_nest_lock_30, omp_nest_lock_t,
	    {
	      bool mine = lock->owner == gomp_icv (true);

	      if (!mine)
		CALL (acquire, lock, ompt_mutex_nest_lock);
	      plain_gomp_set_nest_lock_30 (lock);
	      return (mine ? CALL (nest, lock, ompt_scope_begin)
		      : CALL (acquired, lock, ompt_mutex_nest_lock));
	    })
LOCK_ENTRY (void, gomp_unset_nest_lock_30, omp_nest_lock_t,
	    {
	      bool last = lock->count == 1;

	      plain_gomp_unset_nest_lock_30 (lock);
	      return (last ? CALL (released, lock, ompt_mutex_nest_lock)
		      : CALL (nest, lock, ompt_scope_end));
	    })
LOCK_ENTRY (int, gomp_test_nest_lock_30, omp_nest_lock_t,
	    {
	      bool mine = lock->owner == gomp_icv (true);
	      int count;

	      if (!mine)
		CALL (acquire, lock, ompt_mutex_test_nest_lock);
	      count = plain_gomp_test_nest_lock_30 (lock);
	      if (mine)
		CALL (nest, lock, ompt_scope_begin);
	      else
		CALL (acquired, count ? lock : NULL,
		      ompt_mutex_test_nest_lock);
	      return count;
	    })

#define gomp_init_lock_30 plain_gomp_init_lock_30
#define gomp_destroy_lock_30 plain_gomp_destroy_lock_30
#define gomp_set_lock_30 plain_gomp_set_lock_30
#define gomp_unset_lock_30 plain_gomp_unset_lock_30
#define gomp_test_lock_30 plain_gomp_test_lock_30
#define gomp_init_nest_lock_30 plain_gomp_init_nest_lock_30
#define gomp_destroy_nest_lock_30 plain_gomp_destroy_nest_lock_30
#define gomp_set_nest_lock_30 plain_gomp_set_nest_lock_30
#define gomp_unset_nest_lock_30 plain_gomp_unset_nest_lock_30
#define gomp_test_nest_lock_30 plain_gomp_test_nest_lock_30
