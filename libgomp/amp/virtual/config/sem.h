/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Semaphores whose use is a meeting.  */

#ifndef GOMP_VIRTUAL_SEM_H
#define GOMP_VIRTUAL_SEM_H 1

#include "virtual/virtual.h"

#define gomp_sem_wait gomp_sem_wait_met
#define gomp_sem_post gomp_sem_post_met
#include "config/linux/sem.h"
#undef gomp_sem_wait
#undef gomp_sem_post

static inline void
gomp_sem_wait (gomp_sem_t *sem)
{
  gomp_virtual_meet ();
  gomp_sem_wait_met (sem);
}

static inline void
gomp_sem_post (gomp_sem_t *sem)
{
  gomp_virtual_meet ();
  gomp_sem_post_met (sem);
}

#endif /* GOMP_VIRTUAL_SEM_H */
