/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* OMPT: worksharing, barriers and other waits, locks.  */

#include "libgomp.h"
#include "ompt/ompt-data.h"

/* Each kind of a wait, and the state of a thread in it.  */

static ompt_state_t
state_in (ompt_sync_region_t kind)
{
  switch (kind)
    {
    case ompt_sync_region_barrier_implicit_workshare:
      return ompt_state_wait_barrier_implicit_workshare;
    case ompt_sync_region_barrier_implementation:
      return ompt_state_wait_barrier_implementation;
    case ompt_sync_region_taskwait:
      return ompt_state_wait_taskwait;
    case ompt_sync_region_taskgroup:
      return ompt_state_wait_taskgroup;
    default:
      return ompt_state_wait_barrier_explicit;
    }
}

/* ME's task begins to wait for a construct of KIND, which the program has
   entered at ADDRESS from FRAME; SYNC_REGION: the construct begins, too.  */

static struct gomp_ompt_task *
begin_wait (struct gomp_ompt_thread *me, ompt_sync_region_t kind,
	    bool sync_region, const void *address, void *frame)
{
  struct gomp_ompt_task *task = me->task;

  gomp_ompt_enter (task, frame);
  me->state = state_in (kind);
  if (sync_region)
    GOMP_OMPT_CALL (sync_region, kind, ompt_scope_begin,
		    gomp_ompt_region_data (task), &task->data, address);
  GOMP_OMPT_CALL (sync_region_wait, kind, ompt_scope_begin,
		  gomp_ompt_region_data (task), &task->data, address);
  return task;
}

static void
end_wait (struct gomp_ompt_thread *me, struct gomp_ompt_task *task,
	  ompt_sync_region_t kind, const void *address)
{
  GOMP_OMPT_CALL (sync_region_wait, kind, ompt_scope_end,
		  gomp_ompt_region_data (task), &task->data, address);
  GOMP_OMPT_CALL (sync_region, kind, ompt_scope_end,
		  gomp_ompt_region_data (task), &task->data, address);
  me->state = gomp_ompt_working (me);
  gomp_ompt_return (task);
}

/* The calling thread's record, if that runs a task.  */

static struct gomp_ompt_thread *
working_thread (void)
{
  struct gomp_ompt_thread *me = gomp_ompt_thread ();

  return me != NULL && me->task != NULL ? me : NULL;
}

void
gomp_ompt_barrier (gomp_barrier_t *bar, ompt_sync_region_t kind,
		   const void *address, void *frame)
{
  struct gomp_ompt_thread *me = working_thread ();
  struct gomp_ompt_task *task;

  if (me == NULL)
    {
      gomp_team_barrier_wait (bar);
      return;
    }
  gomp_ompt_close_work (me->task);
  task = begin_wait (me, kind, true, address, frame);
  gomp_team_barrier_wait (bar);
  end_wait (me, task, kind, address);
}

bool
gomp_ompt_barrier_cancel (gomp_barrier_t *bar, ompt_sync_region_t kind,
			  const void *address, void *frame)
{
  struct gomp_ompt_thread *me = working_thread ();
  struct gomp_ompt_task *task;
  bool cancelled;

  if (me == NULL)
    return gomp_team_barrier_wait_cancel (bar);
  gomp_ompt_close_work (me->task);
  task = begin_wait (me, kind, true, address, frame);
  cancelled = gomp_team_barrier_wait_cancel (bar);
  end_wait (me, task, kind, address);
  return cancelled;
}

/* Whether the calling thread is to have the events of a construct: unless
   gomp_ompt_wraps has called the construct's function.  */

static struct gomp_ompt_thread *
begin_wrap (void)
{
  struct gomp_ompt_thread *me = working_thread ();

  if (me != NULL && me->wrapped)
    {
      me->wrapped = false;
      return NULL;
    }
  return me;
}

bool
gomp_ompt_wraps (ompt_sync_region_t kind, void (*fn) (void),
		 const void *address, void *frame)
{
  struct gomp_ompt_thread *me = begin_wrap ();
  struct gomp_ompt_task *task;

  if (me == NULL)
    return false;
  if (me->task->outer_address != NULL)
    address = me->task->outer_address;
  /* A taskgroup has begun before.  */
  task = begin_wait (me, kind, kind != ompt_sync_region_taskgroup, address,
		     frame);
  task->orphan = false;
  me->wrapped = true;
  fn ();
  end_wait (me, task, kind, address);
  return true;
}

bool
gomp_ompt_wraps_depend (void (*fn) (void **), void **depend,
			const void *address, void *frame)
{
  struct gomp_ompt_thread *me = begin_wrap ();
  struct gomp_ompt_task *task, wait = { .flags = 0 };

  if (me == NULL)
    return false;
  task = begin_wait (me, ompt_sync_region_taskwait, true, address, frame);
  /* OpenMP has the dependences depend on a task of the construct's own.  */
  GOMP_OMPT_CALL (task_create, &task->data, &task->frame, &wait.data,
		  ompt_task_taskwait | ompt_task_undeferred
		  | ompt_task_mergeable, 1, address);
  gomp_ompt_call_dependences (&wait, depend);
  me->wrapped = true;
  fn (depend);
  GOMP_OMPT_CALL (task_schedule, &wait.data, ompt_taskwait_complete, NULL);
  end_wait (me, task, ompt_sync_region_taskwait, address);
  return true;
}

void
gomp_ompt_taskgroup_start (const void *address)
{
  struct gomp_ompt_thread *me = working_thread ();
  bool team = gomp_thread ()->ts.team != NULL;

  if (me == NULL)
    return;
  /* A taskgroup with a reduction begins once more when it has got a team.  */
  if (me->task->orphan && team)
    {
      me->task->orphan = false;
      return;
    }
  me->task->orphan = !team;
  if (me->task->outer_address != NULL)
    address = me->task->outer_address;
  else if (address == NULL)
    address = me->task->work != 0 ? me->task->work_address : me->address;
  GOMP_OMPT_CALL (sync_region, ompt_sync_region_taskgroup, ompt_scope_begin,
		  gomp_ompt_region_data (me->task), &me->task->data, address);
}

void
gomp_ompt_outer (const void *address)
{
  struct gomp_ompt_thread *me = working_thread ();

  if (me != NULL)
    me->task->outer_address = address;
}

/* Worksharing.  */

static void
call_work (struct gomp_ompt_task *task, ompt_scope_endpoint_t endpoint)
{
  GOMP_OMPT_CALL (work, task->work, endpoint, gomp_ompt_region_data (task),
		  &task->data, task->count, task->work_address);
}

void
gomp_ompt_close_work (struct gomp_ompt_task *task)
{
  if (task->work == 0)
    return;
  call_work (task, ompt_scope_end);
  task->work = 0;
}

void
gomp_ompt_begin_work (ompt_work_t type, uint64_t count, const void *address)
{
  struct gomp_ompt_thread *me = working_thread ();
  struct gomp_ompt_task *task;

  if (me == NULL)
    return;
  task = me->task;
  /* The end of a single construct may not have been seen.  */
  if (task->work == ompt_work_single_executor)
    gomp_ompt_close_work (task);
  if (task->work != 0)
    return;
  task->work = type;
  task->count = count;
  task->work_address = address;
  call_work (task, ompt_scope_begin);
}

void
gomp_ompt_begin_loop (ompt_work_t type, long start, long end, long incr,
		      const void *address)
{
  gomp_ompt_begin_work (type, gomp_amp_trips (start, end, incr), address);
}

void
gomp_ompt_begin_loop_ull (ompt_work_t type, bool up, unsigned long long start,
			  unsigned long long end, unsigned long long incr,
			  const void *address)
{
  gomp_ompt_begin_work (type, gomp_amp_trips_ull (up, start, end, incr),
			address);
}

ompt_work_t
gomp_ompt_icv_type (void)
{
  struct gomp_task_icv copy;
  const struct gomp_task_icv *icv
    = gomp_amp_ordered_icv (gomp_icv (false), &copy);

  switch (icv->run_sched_var & ~GFS_MONOTONIC)
    {
    case GFS_DYNAMIC:
      return ompt_work_loop_dynamic;
    case GFS_GUIDED:
      return ompt_work_loop_guided;
    default:
      return ompt_work_loop_static;
    }
}

void
gomp_ompt_end_work (void)
{
  struct gomp_ompt_thread *me = working_thread ();

  if (me != NULL)
    gomp_ompt_close_work (me->task);
}

void
gomp_ompt_end_work_wait (const void *address, void *frame)
{
  struct gomp_ompt_thread *me = working_thread ();
  struct gomp_ompt_task *task = NULL;

  if (me != NULL)
    {
      gomp_ompt_close_work (me->task);
      task = begin_wait (me, ompt_sync_region_barrier_implicit_workshare, true,
			 address, frame);
    }
  gomp_work_share_end ();
  if (task != NULL)
    end_wait (me, task, ompt_sync_region_barrier_implicit_workshare, address);
}

bool
gomp_ompt_end_work_cancel (const void *address, void *frame)
{
  struct gomp_ompt_thread *me = working_thread ();
  struct gomp_ompt_task *task = NULL;
  bool cancelled;

  if (me != NULL)
    {
      gomp_ompt_close_work (me->task);
      task = begin_wait (me, ompt_sync_region_barrier_implicit_workshare, true,
			 address, frame);
    }
  cancelled = gomp_work_share_end_cancel ();
  if (task != NULL)
    end_wait (me, task, ompt_sync_region_barrier_implicit_workshare, address);
  return cancelled;
}

bool
gomp_ompt_begin_single (bool chosen, const void *address)
{
  struct gomp_ompt_thread *me = working_thread ();

  if (me == NULL)
    return chosen;
  gomp_ompt_begin_work (chosen ? ompt_work_single_executor
			: ompt_work_single_other, 1, address);
  if (!chosen)
    gomp_ompt_close_work (me->task);
  return chosen;
}

unsigned
gomp_ompt_begin_section (unsigned number, const void *address)
{
  struct gomp_ompt_thread *me = working_thread ();

  if (me != NULL && number != 0)
    GOMP_OMPT_CALL (dispatch, gomp_ompt_region_data (me->task),
		    &me->task->data, ompt_dispatch_section,
		    (ompt_data_t) { .ptr = (void *) address });
  return number;
}

void
gomp_ompt_begin_chunk (uint64_t start, uint64_t iterations)
{
  struct gomp_ompt_thread *me = working_thread ();
  ompt_dispatch_chunk_t chunk = { start, iterations };

  if (me != NULL)
    GOMP_OMPT_CALL (dispatch, gomp_ompt_region_data (me->task),
		    &me->task->data, ompt_dispatch_ws_loop_chunk,
		    (ompt_data_t) { .ptr = &chunk });
}

void
gomp_ompt_mask (ompt_scope_endpoint_t endpoint, const void *address)
{
  struct gomp_ompt_thread *me = working_thread ();

  if (me != NULL)
    GOMP_OMPT_CALL (masked, endpoint, gomp_ompt_region_data (me->task),
		    &me->task->data, address);
}

/* Locks.  */

#define WAIT_ID(lock) ((ompt_wait_id_t) (uintptr_t) (lock))

static ompt_state_t
state_at (ompt_mutex_t kind)
{
  switch (kind)
    {
    case ompt_mutex_critical:
      return ompt_state_wait_critical;
    case ompt_mutex_atomic:
      return ompt_state_wait_atomic;
    case ompt_mutex_ordered:
      return ompt_state_wait_ordered;
    default:
      return ompt_state_wait_lock;
    }
}

void
gomp_ompt_acquire (void *lock, ompt_mutex_t kind, const void *address)
{
  struct gomp_ompt_thread *me = gomp_ompt_thread ();

  if (me == NULL)
    return;
  me->state = state_at (kind);
  me->wait_id = WAIT_ID (lock);
  GOMP_OMPT_CALL (mutex_acquire, kind, 0, GOMP_OMPT_MUTEX, WAIT_ID (lock),
		  address);
}

void
gomp_ompt_acquired (void *lock, ompt_mutex_t kind, const void *address)
{
  struct gomp_ompt_thread *me = gomp_ompt_thread ();

  if (lock != NULL)
    gomp_amp_lock_taken ();
  if (me == NULL)
    return;
  me->state = gomp_ompt_working (me);
  me->wait_id = 0;
  /* A test that failed.  */
  if (lock != NULL)
    GOMP_OMPT_CALL (mutex_acquired, kind, WAIT_ID (lock), address);
}

void
gomp_ompt_released (void *lock, ompt_mutex_t kind, const void *address)
{
  if (lock != NULL)
    gomp_amp_lock_released ();
  if (gomp_ompt_thread () != NULL)
    GOMP_OMPT_CALL (mutex_released, kind, WAIT_ID (lock), address);
}

void
gomp_ompt_take (void *lock, ompt_mutex_t kind, const void *address)
{
  gomp_ompt_acquire (lock, kind, address);
  gomp_mutex_lock (lock);
  gomp_ompt_acquired (lock, kind, address);
}

void
gomp_ompt_release (void *lock, ompt_mutex_t kind, const void *address)
{
  gomp_mutex_unlock (lock);
  gomp_ompt_released (lock, kind, address);
}

void
gomp_ompt_wait_ordered (void (*fn) (void), const void *address)
{
  void *loop = gomp_thread ()->ts.work_share;

  gomp_ompt_acquire (loop, ompt_mutex_ordered, address);
  fn ();
  gomp_ompt_acquired (loop, ompt_mutex_ordered, address);
}

void
gomp_ompt_lock_init (void *lock, ompt_mutex_t kind, const void *address)
{
  if (gomp_ompt_thread () != NULL)
    GOMP_OMPT_CALL (lock_init, kind, 0, GOMP_OMPT_MUTEX, WAIT_ID (lock),
		    address);
}

void
gomp_ompt_lock_destroy (void *lock, ompt_mutex_t kind, const void *address)
{
  if (gomp_ompt_thread () != NULL)
    GOMP_OMPT_CALL (lock_destroy, kind, WAIT_ID (lock), address);
}

void
gomp_ompt_nest (void *lock, ompt_scope_endpoint_t endpoint,
		const void *address)
{
  if (gomp_ompt_thread () != NULL)
    GOMP_OMPT_CALL (nest_lock, endpoint, WAIT_ID (lock), address);
}

void
gomp_ompt_cancel (int which, const void *address)
{
  struct gomp_ompt_thread *me = working_thread ();
  int flags = ompt_cancel_activated;

  if (me == NULL)
    return;
  if (which & GOMP_CANCEL_LOOP)
    flags |= ompt_cancel_loop;
  else if (which & GOMP_CANCEL_SECTIONS)
    flags |= ompt_cancel_sections;
  else if (which & GOMP_CANCEL_TASKGROUP)
    flags |= ompt_cancel_taskgroup;
  else
    flags |= ompt_cancel_parallel;
  GOMP_OMPT_CALL (cancel, &me->task->data, flags, address);
}
