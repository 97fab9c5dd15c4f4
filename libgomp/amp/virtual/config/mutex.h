/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Mutexes whose locking and unlocking are meetings.  */

#ifndef GOMP_VIRTUAL_MUTEX_H
#define GOMP_VIRTUAL_MUTEX_H 1

#include "virtual/virtual.h"

#define gomp_mutex_lock gomp_mutex_lock_met
#define gomp_mutex_unlock gomp_mutex_unlock_met
#include "config/linux/mutex.h"
#undef gomp_mutex_lock
#undef gomp_mutex_unlock

static inline void
gomp_mutex_lock (gomp_mutex_t *mutex)
{
  gomp_virtual_meet ();
  gomp_mutex_lock_met (mutex);
}

static inline void
gomp_mutex_unlock (gomp_mutex_t *mutex)
{
  /* A thread that locks the mutex before this time must find it locked.  */
  gomp_virtual_meet ();
  gomp_mutex_unlock_met (mutex);
}

#endif /* GOMP_VIRTUAL_MUTEX_H */
