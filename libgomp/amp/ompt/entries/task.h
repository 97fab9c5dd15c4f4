/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The entry points of task.c, for tools and for GOMP_TASK_SCHEDULE=fifo, and
   those functions with which it shares events with other files.  */

#include "ompt/entries/entry.h"

/* The body of GOMP_task is compiled twice.  A test of an option in it would
   cost only an instruction or two, but the calls that depend on the test cost
   registers, which the body would save for tasks in upstream's order too.  */
#define TASK_PARMS \
  void (*fn) (void *), void *data, void (*cpyfn) (void *, void *),	\
  long arg_size, long arg_align, bool if_clause, unsigned flags,	\
  void **depend, int priority_arg, void *detach
#define TASK \
  fn, data, cpyfn, arg_size, arg_align, if_clause, flags, depend,	\
  priority_arg, detach

static inline __attribute__ ((always_inline)) void
gomp_amp_create_task (bool ours, TASK_PARMS);

static __attribute__ ((noinline)) void
gomp_amp_own_task (TASK_PARMS)
{
  gomp_amp_create_task (true, TASK);
}

void
GOMP_task (TASK_PARMS)
{
  gomp_ompt_task_called (flags, depend);
  if (gomp_amp_fifo_p ())
    {
      gomp_amp_own_task (TASK);
      return;
    }
  gomp_amp_create_task (false, TASK);
}

/* Upstream's definition follows.  */
#define GOMP_task(...) gomp_amp_create_task (bool ours, __VA_ARGS__)

/* A wait: with a tool the entry point calls itself between its events.  Then,
   or without a tool, AWAIT has tasks run in the order of readiness until none
   is left to wait for.  */
#define WAIT_ENTRY(name, kind, await) \
  GOMP_OMPT_ENTRY (, void, name, (void), (),				\
		   if (__builtin_expect (gomp_amp_timed_tasks, 0))	\
		     {							\
		       if (gomp_ompt_wrap (kind, ialias_call (name)))	\
			 return;					\
		       if (gomp_amp_fifo_p ())				\
			 await;						\
		     })

ialias (GOMP_taskwait)
extern void gomp_ialias_GOMP_taskgroup_end (void) attribute_hidden;
WAIT_ENTRY (GOMP_taskwait, ompt_sync_region_taskwait,
	    return gomp_amp_await_children ())
/* Upstream's function finds none, and ends the taskgroup.  */
WAIT_ENTRY (GOMP_taskgroup_end, ompt_sync_region_taskgroup,
	    gomp_amp_await_members ())
ialias (GOMP_taskwait_depend)
GOMP_OMPT_ENTRY (, void, GOMP_taskwait_depend, (void **depend), (depend),
		 if (gomp_ompt_wrap_depend (ialias_call (GOMP_taskwait_depend),
					    depend))
		   return)
GOMP_OMPT_ENTRY (, void, GOMP_taskyield, (void), (), gomp_amp_task_yields ())
GOMP_OMPT_ENTRY (, void, GOMP_taskgroup_start, (void), (),
		 if (gomp_ompt_p ())
		   gomp_ompt_taskgroup_start (__builtin_return_address (0)))
GOMP_OMPT_ENTRY (, void, gomp_workshare_taskgroup_start, (void), (),
		 if (gomp_ompt_p ())
		   {
		     plain_gomp_workshare_taskgroup_start ();
		     return gomp_ompt_taskgroup_start (NULL);
		   })

/* Upstream's function waits for the taskgroup, and then at a barrier unless the
   construct is CANCELLED.  */
GOMP_OMPT_ENTRY (, void, GOMP_workshare_task_reduction_unregister,
		 (bool cancelled), (cancelled),
		 if (gomp_ompt_p ())
		   {
		     gomp_ompt_outer (__builtin_return_address (0));
		     plain_GOMP_workshare_task_reduction_unregister (true);
		     gomp_ompt_outer (NULL);
		     if (!cancelled)
		       gomp_ompt_barrier
			 (&gomp_thread ()->ts.team->barrier,
			  ompt_sync_region_barrier_implicit_workshare,
			  GOMP_OMPT_CALLER);
		     return;
		   })
static void plain_omp_fulfill_event (omp_event_handle_t)
  __attribute__ ((nothrow));
GOMP_OMPT_ENTRY (, void, omp_fulfill_event, (omp_event_handle_t event), (event),
		 if (gomp_ompt_p () && ((struct gomp_task *) event)->deferred_p)
		   gomp_ompt_fulfill ((struct gomp_task *) event))

#define GOMP_taskwait plain_GOMP_taskwait
#define GOMP_taskwait_depend plain_GOMP_taskwait_depend
#define GOMP_taskyield plain_GOMP_taskyield
#define GOMP_taskgroup_start plain_GOMP_taskgroup_start
#define GOMP_taskgroup_end plain_GOMP_taskgroup_end
#define gomp_workshare_taskgroup_start plain_gomp_workshare_taskgroup_start
#define GOMP_workshare_task_reduction_unregister \
  plain_GOMP_workshare_task_reduction_unregister
#define omp_fulfill_event plain_omp_fulfill_event
