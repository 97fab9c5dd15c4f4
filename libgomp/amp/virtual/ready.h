/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The threads that are ready to run, in the order of their clocks.  For
   virtual/ only.  All functions need the lock of baton.h.  */

#ifndef GOMP_VIRTUAL_READY_H
#define GOMP_VIRTUAL_READY_H 1

#include "baton.h"

#pragma GCC visibility push(hidden)

/* The first ready thread; NULL if there is none.  */
extern struct gomp_virtual_thread *gomp_virtual_ready (void);

/* Whether a ready thread is before THREAD, which is not in the heap.  */
extern bool gomp_virtual_ready_before
  (const struct gomp_virtual_thread *thread);

/* Add THREAD, whose clock must not change until it is dropped.  */
extern void gomp_virtual_add_ready (struct gomp_virtual_thread *thread);

/* Drop the first thread; drop all.  */
extern void gomp_virtual_drop_ready (void);
extern void gomp_virtual_clear_ready (void);

/* Drop THREAD, wherever in the heap it is.  */
extern void gomp_virtual_remove_ready
  (const struct gomp_virtual_thread *thread);

/* Clocks of ready threads have changed.  */
extern void gomp_virtual_order_ready (void);

/* Make room for THREADS threads.  */
extern void gomp_virtual_reserve_ready (unsigned threads);

#pragma GCC visibility pop

#endif /* GOMP_VIRTUAL_READY_H */
