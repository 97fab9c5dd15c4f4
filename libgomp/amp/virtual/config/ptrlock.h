/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Locked pointers whose use is a meeting: the thread that comes first to a work
   share initialises it.  */

#ifndef GOMP_VIRTUAL_PTRLOCK_H
#define GOMP_VIRTUAL_PTRLOCK_H 1

#include "virtual/virtual.h"

#define gomp_ptrlock_get gomp_ptrlock_get_met
#define gomp_ptrlock_set gomp_ptrlock_set_met
#include "config/linux/ptrlock.h"
#undef gomp_ptrlock_get
#undef gomp_ptrlock_set

static inline void *
gomp_ptrlock_get (gomp_ptrlock_t *ptrlock)
{
  gomp_virtual_meet ();
  return gomp_ptrlock_get_met (ptrlock);
}

static inline void
gomp_ptrlock_set (gomp_ptrlock_t *ptrlock, void *ptr)
{
  gomp_virtual_meet ();
  gomp_ptrlock_set_met (ptrlock, ptr);
}

#endif /* GOMP_VIRTUAL_PTRLOCK_H */
