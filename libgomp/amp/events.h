/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The events of the library: the lines that say where something happens that
   somebody may want to know.  Who does is a back end, chosen when the library
   is compiled.  Without one, which is the production library, an event is no
   code at all.  */

#ifndef GOMP_AMP_EVENTS_H
#define GOMP_AMP_EVENTS_H 1

/* A back end has a function for each event: gomp_BACKEND_loop_end () for
   gomp_event_loop_end ().  */
#ifdef GOMP_AMP_VIRTUAL
# include "virtual/virtual.h"
# define GOMP_EVENT(event) gomp_virtual_##event
#else
# define GOMP_EVENT(event) ((void) 0)
#endif

/* The options were read; the process has one thread.  */
#define gomp_event_start() GOMP_EVENT (start ())

/* The process ends.  */
#define gomp_event_finish() GOMP_EVENT (finish ())

/* In what follows "it" is the calling thread.

   It is about to start the team of a parallel region.  */
#define gomp_event_region() GOMP_EVENT (region ())

/* It is about to create a thread.  */
#define gomp_event_new_thread() GOMP_EVENT (new_thread ())

/* It runs iterations of a loop from now on.  Repeated whenever it comes back
   for more: a loop inside of a block may have ended meanwhile.  */
#define gomp_event_loop_begin() GOMP_EVENT (loop_begin ())

/* It is about to take iterations from POOL, an address that is the pool's own,
   for the loop that it runs; it meets others by that.  */
#define gomp_event_take(pool) GOMP_EVENT (take (pool))

/* The same where it has begun the loop and met the others.  */
#define gomp_event_take_met(pool) GOMP_EVENT (take_met (pool))

/* It leaves its loop.  */
#define gomp_event_loop_end() GOMP_EVENT (loop_end ())

/* It is about to create a task, or tasks of a taskloop.  */
#define gomp_event_task() GOMP_EVENT (task ())

/* It meets others otherwise than through a lock, a barrier, a semaphore or one
   of the events above.  */
#define gomp_event_meet() GOMP_EVENT (meet ())

#ifdef GOMP_AMP_VIRTUAL
# define pthread_create(thread, attr, start, data) \
  (gomp_event_new_thread (), pthread_create (thread, attr, start, data))
#endif

#endif /* GOMP_AMP_EVENTS_H */
