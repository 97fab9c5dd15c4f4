/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* OMPT: what moments and the hooks in upstream's files call for a tool, which
   is a piece of software in the process that watches OpenMP (omp-tools.h,
   ompt.def, docs/design/ompt.md).

   The terms:

     event      what a callback of the tool is called for.
     record     what is kept of a thread, a region or a task (ompt-data.h).

   A thread's record is thread-local, and so goes with an id that is carried.

   Without a tool an event costs one test of gomp_ompt_on, and taking a chunk of
   a loop or waiting in a barrier nothing.  Each hook evaluates the address of
   its caller itself, since only the function that the program calls can.  */

#ifndef GOMP_OMPT_H
#define GOMP_OMPT_H 1

#include <stdbool.h>
#include <stdint.h>
#include "base/task-locks.h"
#include "ompt/omp-tools.h"

#pragma GCC visibility push(hidden)

struct gomp_team;
struct gomp_task;
struct gomp_thread;

/* Whether there is a tool, or may be one that has not been started.  Changes
   only to false, when none is found or the tool has ended.  */
extern bool gomp_ompt_on;

/* In a function that the program calls: the address that it returns to, and
   its frame.  */
#define GOMP_OMPT_CALLER __builtin_return_address (0), __builtin_dwarf_cfa ()

#define gomp_ompt_p() __builtin_expect (gomp_ompt_on, 0)

/* Statements: CALL if TEST, and PLAIN if not.  */
#define GOMP_OMPT_IF(test, call) \
  do									\
    if (test)								\
      call;								\
  while (0)
#define GOMP_OMPT_EITHER(test, call, plain) \
  do									\
    if (test)								\
      call;								\
    else								\
      plain;								\
  while (0)

/* Called once at start-up, after gomp_fold_init: look for a tool.  */
extern void gomp_ompt_init (void);

/* The library is being loaded, and there may be a tool.  */
extern void gomp_ompt_note_load (void);

/* End the tool, if there is one that runs.  */
extern void gomp_ompt_finalize (void);

/* omp_control_tool.  */
extern int gomp_ompt_control (int command, int modifier, void *argument,
			      const void *address);

/* Threads and regions; for moments.h and fold/.  */

/* The calling thread, if it has a record, ends.  */
extern void gomp_ompt_thread_ends (void);

/* Call gomp_free_thread (THR) for the calling thread, which does not end.  */
extern void gomp_ompt_target_ends (struct gomp_thread *thr);

/* The calling thread has become id 0 of TEAM, which is to run FN.  That id
   begins when the others may, by the second function.  */
extern void gomp_ompt_region_begins (struct gomp_team *team,
				     void (*fn) (void *));
extern void gomp_ompt_first_begins (struct gomp_team *team);

/* The calling thread, which may be a worker that has no record yet, begins to
   run an id of TEAM, or comes to the barrier at the region's end, begins to
   wait there, or has left it.  */
extern void gomp_ompt_id_begins (struct gomp_team *team, unsigned id,
				 void *frame);
extern void gomp_ompt_id_arrives (void);
extern void gomp_ompt_id_waits (void);
extern void gomp_ompt_id_ends (void);

/* The region of TEAM, of which the calling thread was id 0, has ended: first
   note how it was run.  */
extern void gomp_ompt_region_ran (struct gomp_team *team);
extern void gomp_ompt_region_ends (struct gomp_team *team);

/* The hooks in upstream's files.  */

/* The program has called the library for a parallel region or a task, at
   ADDRESS and from FRAME.  */
extern void gomp_ompt_note_call (const void *address, void *frame);
#define gomp_ompt_called() \
  GOMP_OMPT_IF (gomp_ompt_p (), gomp_ompt_note_call (GOMP_OMPT_CALLER))

/* The region that the program has called the library for is one worksharing
   construct of TYPE with COUNT parts; or the program itself calls its
   function.  */
extern void gomp_ompt_note_work (ompt_work_t type, uint64_t count);
extern void gomp_ompt_note_start (void);
#define gomp_ompt_preset(type, count) \
  GOMP_OMPT_IF (gomp_ompt_p (), gomp_ompt_note_work ((type), (count)))
#define gomp_ompt_started() \
  do									\
    if (gomp_ompt_p ())							\
      {									\
	gomp_ompt_note_call (GOMP_OMPT_CALLER);				\
	gomp_ompt_note_start ();					\
      }									\
  while (0)

/* Wait at BAR, a team's barrier, which belongs to a construct of KIND.  */
extern void gomp_ompt_barrier (gomp_barrier_t *bar, ompt_sync_region_t kind,
			       const void *address, void *frame);
extern bool gomp_ompt_barrier_cancel (gomp_barrier_t *bar,
				      ompt_sync_region_t kind,
				      const void *address, void *frame);
#define gomp_ompt_team_barrier(bar, kind) \
  GOMP_OMPT_EITHER (gomp_ompt_p (),					\
		    gomp_ompt_barrier ((bar), (kind),			\
				       GOMP_OMPT_CALLER),		\
		    gomp_team_barrier_wait (bar))
#define gomp_ompt_team_barrier_cancel(bar, kind) \
  (gomp_ompt_p ()							\
   ? gomp_ompt_barrier_cancel ((bar), (kind), GOMP_OMPT_CALLER)		\
   : gomp_team_barrier_wait_cancel (bar))

/* A function of the program's that waits, for the construct of KIND: have its
   events, and call FN again in between.  Returns whether it did so; false if
   this is the call in between.  */
extern bool gomp_ompt_wraps (ompt_sync_region_t kind, void (*fn) (void),
			     const void *address, void *frame);
#define gomp_ompt_wrap(kind, fn) \
  (gomp_ompt_p () && gomp_ompt_wraps ((kind), (fn), GOMP_OMPT_CALLER))

/* gomp_ompt_wraps for a function that takes dependences.  */
extern bool gomp_ompt_wraps_depend (void (*fn) (void **), void **depend,
				    const void *address, void *frame);
#define gomp_ompt_wrap_depend(fn, depend) \
  (gomp_ompt_p ()							\
   && gomp_ompt_wraps_depend ((fn), (depend), GOMP_OMPT_CALLER))

/* A taskgroup begins; if ADDRESS is NULL, that of a worksharing construct with
   a reduction over tasks.  */
extern void gomp_ompt_taskgroup_start (const void *address);
/* A function of the program's, which was called from ADDRESS, is about to call
   others of its functions; or if ADDRESS is NULL, has done so.  */
extern void gomp_ompt_outer (const void *address);

/* A worksharing construct of TYPE with COUNT parts begins.  One that begins in
   another one is the same: functions of loops call each other.  */
extern void gomp_ompt_begin_work (ompt_work_t type, uint64_t count,
				  const void *address);
#define gomp_ompt_work_begins(type, count) \
  GOMP_OMPT_IF (gomp_ompt_p (),						\
		gomp_ompt_begin_work ((type), (count),			\
				      __builtin_return_address (0)))

/* A loop over long, or unsigned long long, begins.  It is counted in a function
   of its own: upstream's functions stay small enough for the compiler to inline
   them where it did.  */
extern void gomp_ompt_begin_loop (ompt_work_t type, long start, long end,
				  long incr, const void *address)
  __attribute__ ((cold));
extern void gomp_ompt_begin_loop_ull (ompt_work_t type, bool up,
				      unsigned long long start,
				      unsigned long long end,
				      unsigned long long incr,
				      const void *address)
  __attribute__ ((cold));
#define gomp_ompt_loop_begins(type, start, end, incr) \
  GOMP_OMPT_IF (gomp_ompt_p (),						\
		gomp_ompt_begin_loop ((type), (start), (end), (incr),	\
				      __builtin_return_address (0)))
#define gomp_ompt_loop_ull_begins(type, up, start, end, incr) \
  GOMP_OMPT_IF (gomp_ompt_p (),						\
		gomp_ompt_begin_loop_ull ((type), (up), (start), (end),	\
					  (incr),			\
					  __builtin_return_address (0)))

/* The type of an ordered or doacross loop of the calling thread's
   run-sched-var.  */
extern ompt_work_t gomp_ompt_icv_type (void);

/* It ends, without a barrier or with one.  */
extern void gomp_ompt_end_work (void);
extern void gomp_ompt_end_work_wait (const void *address, void *frame);
extern bool gomp_ompt_end_work_cancel (const void *address, void *frame);
#define gomp_ompt_work_share_end() \
  GOMP_OMPT_EITHER (gomp_ompt_p (),					\
		    gomp_ompt_end_work_wait (GOMP_OMPT_CALLER),		\
		    gomp_work_share_end ())
#define gomp_ompt_work_share_end_cancel() \
  (gomp_ompt_p () ? gomp_ompt_end_work_cancel (GOMP_OMPT_CALLER)	\
   : gomp_work_share_end_cancel ())
#define gomp_ompt_work_ends() \
  GOMP_OMPT_IF (gomp_ompt_p (), gomp_ompt_end_work ())
#define gomp_ompt_work_share_end_nowait() \
  do									\
    {									\
      gomp_ompt_work_ends ();						\
      gomp_work_share_end_nowait ();					\
    }									\
  while (0)

/* A single construct begins, and the calling thread runs it if it is CHOSEN.
   Returns CHOSEN.  */
extern bool gomp_ompt_begin_single (bool chosen, const void *address);
#define gomp_ompt_single(chosen) \
  ({									\
    bool ompt_chosen = (chosen);					\
    gomp_ompt_p ()							\
    ? gomp_ompt_begin_single (ompt_chosen, __builtin_return_address (0)) \
    : ompt_chosen;							\
  })

/* The calling thread runs section NUMBER, or has found none if that is 0.
   Returns NUMBER.  */
extern unsigned gomp_ompt_begin_section (unsigned number,
					 const void *address);
#define gomp_ompt_section(number) \
  ({									\
    unsigned ompt_number = (number);					\
    gomp_ompt_p ()							\
    ? gomp_ompt_begin_section (ompt_number, __builtin_return_address (0)) \
    : ompt_number;							\
  })

/* The calling thread begins ITERATIONS of a static loop at START.  */
extern void gomp_ompt_begin_chunk (uint64_t start, uint64_t iterations);

/* It begins or ends a masked construct.  */
extern void gomp_ompt_mask (ompt_scope_endpoint_t endpoint,
			    const void *address);
#define gomp_ompt_masks(endpoint) \
  GOMP_OMPT_IF (gomp_ompt_p (),						\
		gomp_ompt_mask ((endpoint),				\
				__builtin_return_address (0)))

/* Take and release LOCK, a gomp_mutex_t, for a construct of KIND.  The wait
   identifier is the lock's address.  */
extern void gomp_ompt_take (void *lock, ompt_mutex_t kind,
			    const void *address);
extern void gomp_ompt_release (void *lock, ompt_mutex_t kind,
			       const void *address);
#define gomp_ompt_lock(lock, kind) \
  GOMP_OMPT_EITHER (gomp_amp_locks_p (),				\
		    gomp_ompt_take ((lock), (kind),			\
				    __builtin_return_address (0)),	\
		    gomp_mutex_lock (lock))
#define gomp_ompt_unlock(lock, kind) \
  GOMP_OMPT_EITHER (gomp_amp_locks_p (),				\
		    gomp_ompt_release ((lock), (kind),			\
				       __builtin_return_address (0)),	\
		    gomp_mutex_unlock (lock))
/* The events of LOCK, for a function that takes or releases it itself.  If LOCK
   is NULL, it was not acquired.  */
extern void gomp_ompt_acquire (void *lock, ompt_mutex_t kind,
			       const void *address);
extern void gomp_ompt_acquired (void *lock, ompt_mutex_t kind,
				const void *address);
extern void gomp_ompt_released (void *lock, ompt_mutex_t kind,
				const void *address);
#define gomp_ompt_mutex(what, lock, kind) \
  GOMP_OMPT_IF (gomp_amp_locks_p (),					\
		gomp_ompt_##what ((lock), (kind),			\
				  __builtin_return_address (0)))

/* Wait by FN for the turn of the calling thread's iteration in an ordered
   loop.  The wait identifier is the loop's.  */
extern void gomp_ompt_wait_ordered (void (*fn) (void), const void *address);
#define gomp_ompt_ordered(fn) \
  GOMP_OMPT_EITHER (gomp_amp_locks_p (),				\
		    gomp_ompt_wait_ordered ((fn),			\
					    __builtin_return_address (0)), \
		    (fn) ())

/* A lock is made or ends; a nestable one is taken by its owner, or released
   without becoming free.  */
extern void gomp_ompt_lock_init (void *lock, ompt_mutex_t kind,
				 const void *address);
extern void gomp_ompt_lock_destroy (void *lock, ompt_mutex_t kind,
				    const void *address);
extern void gomp_ompt_nest (void *lock, ompt_scope_endpoint_t endpoint,
			    const void *address);

/* The program cancels the construct of WHICH, an enum of GOMP_cancel.  */
extern void gomp_ompt_cancel (int which, const void *address);

/* Tasks.  */

/* The program calls the library for tasks with FLAGS and DEPEND, as of
   GOMP_task.  */
extern void gomp_ompt_note_task (unsigned flags, void **depend,
				 const void *address, void *frame);
#define gomp_ompt_task_called(flags, depend) \
  GOMP_OMPT_IF (gomp_ompt_p (),						\
		gomp_ompt_note_task ((flags), (depend),			\
				     GOMP_OMPT_CALLER))

/* TASK, which is new, is about to be queued; or is not queued after all, since
   its region was cancelled.  */
extern void gomp_ompt_create (struct gomp_task *task);
extern void gomp_ompt_drop (struct gomp_task *task);
#define gomp_ompt_task_created(task) \
  GOMP_OMPT_IF (gomp_ompt_p (), gomp_ompt_create (task))
#define gomp_ompt_task_dropped(task) \
  GOMP_OMPT_IF (gomp_ompt_p (), gomp_ompt_drop (task))

/* The calling thread's task, which was queued, calls FN with DATA: by CALL, or
   if that is NULL by itself.  Where upstream's code runs tasks, the function of
   a task is one that calls this.  */
extern void gomp_ompt_call_task (void (*call) (void (*) (void *), void *),
				 void (*fn) (void *), void *data);

/* Create an undeferred task, which calls FN with DATA.  OURS: as of
   gomp_amp_call_undeferred.  */
extern void gomp_ompt_call_undeferred (bool ours, void (*fn) (void *),
				       void *data);

/* A taskloop construct of COUNT tasks with FLAGS begins, or ends.  */
extern void gomp_ompt_begin_taskloop (uint64_t count);
extern void gomp_ompt_end_taskloop (void);
static inline void
gomp_ompt_taskloop_ends (const bool *tool)
{
  if (__builtin_expect (*tool, 0))
    gomp_ompt_end_taskloop ();
}
/* Declares a variable, with whose scope the construct ends.  */
#define GOMP_OMPT_TASKLOOP(flags, count) \
  bool ompt_taskloop							\
    __attribute__ ((cleanup (gomp_ompt_taskloop_ends))) = gomp_ompt_on;	\
  if (__builtin_expect (ompt_taskloop, 0))				\
    {									\
      gomp_ompt_note_task ((flags), NULL, GOMP_OMPT_CALLER);		\
      gomp_ompt_begin_taskloop (count);					\
    }

/* The event of TASK, which is queued, runs or has run, is fulfilled.  */
extern void gomp_ompt_fulfill (struct gomp_task *task);
#pragma GCC visibility pop

#endif /* GOMP_OMPT_H */
