/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The events of the library: the places in the code where something happens
   that a tool may want to know.  The tool is a back end, chosen at compile
   time.  The production library has none, and an event compiles to nothing
   there.  */

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

/* The options have been read; the process has one thread.  */
#define gomp_event_start() GOMP_EVENT (start ())

/* The process ends.  */
#define gomp_event_finish() GOMP_EVENT (finish ())

/* The calling thread is about to start the team of a parallel region.  */
#define gomp_event_region() GOMP_EVENT (region ())

/* The calling thread runs iterations of a loop from now on.  Repeated for each
   of its blocks, since a loop inside of a block may have ended meanwhile.  */
#define gomp_event_loop_begin() GOMP_EVENT (loop_begin ())

/* The calling thread is about to take iterations of its loop from POOL, an
   address that belongs to that pool alone.  Threads meet there.  */
#define gomp_event_take(pool) GOMP_EVENT (take (pool))

/* The calling thread, which has begun its loop and met the others, is about to
   take iterations from POOL.  */
#define gomp_event_take_met(pool) GOMP_EVENT (take_met (pool))

/* The calling thread leaves its loop.  */
#define gomp_event_loop_end() GOMP_EVENT (loop_end ())

/* The calling thread is about to create a task, or tasks of a taskloop.  */
#define gomp_event_task() GOMP_EVENT (task ())

/* The calling thread is about to communicate with others by other means than a
   lock, a barrier, a semaphore or one of the events above.  */
#define gomp_event_meet() GOMP_EVENT (meet ())

#ifdef GOMP_AMP_VIRTUAL
# define pthread_create(thread, attr, start, data) \
  gomp_virtual_create_thread (thread, attr, start, data)
#endif

#endif /* GOMP_AMP_EVENTS_H */
