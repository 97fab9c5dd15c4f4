/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* OMPT: explicit tasks.  */

#include "libgomp.h"
#include <sched.h>
#include <stdlib.h>
#include "gomp-constants.h"
#include "ompt/ompt-data.h"
#include "tasks/task-fifo.h"

void
gomp_ompt_note_task (unsigned flags, void **depend, const void *address,
		     void *frame)
{
  struct gomp_ompt_thread *me = gomp_ompt_thread ();

  if (me == NULL)
    return;
  me->address = address;
  me->frame = frame;
  me->task_flags = flags;
  me->depend = (flags & GOMP_TASK_FLAG_DEPEND) ? depend : NULL;
}

/* The kind of the I-th dependence in DEPEND, as of GOMP_task, which is on
   *VARIABLE.  If that is an omp_depend_t, store in it what that is on.  */

static ompt_dependence_type_t
type_of (void **depend, size_t i, void **variable)
{
  size_t out = (uintptr_t) depend[0] != 0 ? (uintptr_t) depend[1]
	       : (uintptr_t) depend[2];
  size_t mutexes = (uintptr_t) depend[0] != 0 ? 0 : (uintptr_t) depend[3];
  size_t in = ((uintptr_t) depend[0] != 0
	       ? (uintptr_t) depend[0] - out : (uintptr_t) depend[4]);
  void **object;

  if (i < out)
    return (*variable == NULL ? ompt_dependence_type_inout_all_memory
	    : ompt_dependence_type_inout);
  if (i < out + mutexes)
    return ompt_dependence_type_mutexinoutset;
  if (i < out + mutexes + in)
    return ompt_dependence_type_in;
  /* A depend object: its address and its kind.  */
  object = *variable;
  *variable = object[0];
  switch ((uintptr_t) object[1])
    {
    case GOMP_DEPEND_IN:
      return ompt_dependence_type_in;
    case GOMP_DEPEND_MUTEXINOUTSET:
      return ompt_dependence_type_mutexinoutset;
#ifdef GOMP_DEPEND_INOUTSET
    case GOMP_DEPEND_INOUTSET:
      return ompt_dependence_type_inoutset;
#endif
    default:
      return (*variable == NULL ? ompt_dependence_type_inout_all_memory
	      : ompt_dependence_type_inout);
    }
}

void
gomp_ompt_call_dependences (struct gomp_ompt_task *task, void **depend)
{
  size_t count = (uintptr_t) depend[0], first = 2;
  ompt_dependence_t *deps;

  if (__atomic_load_n (&gomp_ompt_call.dependences, MEMMODEL_RELAXED) == NULL)
    return;
  if (count == 0)
    {
      count = (uintptr_t) depend[1];
      first = 5;
    }
  deps = gomp_malloc ((count + 1) * sizeof *deps);
  for (size_t i = 0; i < count; i++)
    {
      void *variable = depend[first + i];

      deps[i].dependence_type = type_of (depend, i, &variable);
      deps[i].variable.ptr = variable;
    }
  GOMP_OMPT_CALL (dependences, &task->data, deps, count);
  free (deps);
}

/* TASK is new, and FLAGS in addition to those of any task.  */

static void
create (struct gomp_ompt_thread *me, struct gomp_ompt_task *task, int flags)
{
  struct gomp_ompt_task *parent = me->task;

  task->flags = ompt_task_explicit | flags;
  if (me->task_flags & GOMP_TASK_FLAG_UNTIED)
    task->flags |= ompt_task_untied;
  if (me->task_flags & GOMP_TASK_FLAG_FINAL)
    task->flags |= ompt_task_final;
  if (me->task_flags & GOMP_TASK_FLAG_MERGEABLE)
    task->flags |= ompt_task_mergeable;
  gomp_ompt_enter (parent, me->frame);
  GOMP_OMPT_CALL (task_create, &parent->data, &parent->frame, &task->data,
		  task->flags, me->depend != NULL, me->address);
  if (me->depend != NULL)
    gomp_ompt_call_dependences (task, me->depend);
}

/* The function of a task with a record, which the calling thread runs.  */

static void
run_recorded (void *data)
{
  struct gomp_task *task = gomp_thread ()->task;

  task->fn = task->amp_ompt->fn;
  gomp_ompt_call_task (NULL, task->fn, data);
}

void
gomp_ompt_create (struct gomp_task *task)
{
  struct gomp_ompt_thread *me = gomp_ompt_thread ();
  struct gomp_ompt_task *record;

  if (me == NULL || me->task == NULL)
    return;
  record = gomp_ompt_new_task ();
  record->detachable = (me->task_flags & GOMP_TASK_FLAG_DETACH) != 0;
  create (me, record, 0);
  gomp_ompt_return (me->task);
  task->amp_ompt = record;
  /* The fork's own code calls gomp_ompt_call_task, and asks for the function of
     tasks that wait.  */
  if (!gomp_amp_fifo_p ())
    {
      record->fn = task->fn;
      task->fn = run_recorded;
    }
}

void
gomp_ompt_drop (struct gomp_task *task)
{
  struct gomp_ompt_thread *me = gomp_ompt_thread ();
  struct gomp_ompt_task *record = task->amp_ompt;

  if (record == NULL)
    return;
  task->amp_ompt = NULL;
  if (me != NULL && me->task != NULL)
    {
      GOMP_OMPT_CALL (task_schedule, &me->task->data, ompt_task_switch,
		      &record->data);
      GOMP_OMPT_CALL (cancel, &record->data,
		      ompt_cancel_taskgroup | ompt_cancel_discarded_task,
		      NULL);
      GOMP_OMPT_CALL (task_schedule, &record->data, ompt_task_cancel,
		      &me->task->data);
    }
  gomp_ompt_leave_task (record);
}

/* What a task that runs on the same thread may change.  */

struct noted
{
  const void *address;
  void *frame;
  unsigned task_flags;
  void **depend;
};

/* ME begins to run TASK.  */

static struct noted
begin_task (struct gomp_ompt_thread *me, struct gomp_ompt_task *task,
	    void *frame)
{
  struct gomp_ompt_task *prior = me->task;
  struct noted noted = { me->address, me->frame, me->task_flags, me->depend };

  task->under = prior;
  task->region = prior->region;
  task->size = prior->size;
  task->id = prior->id;
  gomp_ompt_push (me, task, frame);
  GOMP_OMPT_CALL (task_schedule, &prior->data, ompt_task_switch, &task->data);
  return noted;
}

/* It has returned from it, with STATUS.  */

static void
end_task (struct gomp_ompt_thread *me, struct gomp_ompt_task *task,
	  ompt_task_status_t status, ompt_state_t state,
	  const struct noted *noted)
{
  gomp_ompt_close_work (task);
  gomp_ompt_set_task (me, task->resume);
  me->state = state;
  me->address = noted->address;
  me->frame = noted->frame;
  me->task_flags = noted->task_flags;
  me->depend = noted->depend;
  GOMP_OMPT_CALL (task_schedule, &task->data, status, &me->task->data);
}

/* TASK has returned.  Whether its event has been fulfilled.  Else the thread
   that fulfills it waits until the calling thread has stored
   GOMP_OMPT_RETURNED: it frees the record.  */

static bool
fulfilled (struct gomp_ompt_task *task)
{
  int was = GOMP_OMPT_RUNS;

  /* Acquire the record from the thread that fulfills.  */
  while (!__atomic_compare_exchange_n (&task->detached, &was,
				       GOMP_OMPT_RETURNING, true,
				       MEMMODEL_ACQUIRE, MEMMODEL_ACQUIRE))
    {
      if (was == GOMP_OMPT_FULFILLED)
	return true;
      was = GOMP_OMPT_RUNS;
    }
  return false;
}

/* Call FN with DATA, by CALL unless that is NULL.  */

static inline void
run (void (*call) (void (*) (void *), void *), void (*fn) (void *), void *data)
{
  if (call != NULL)
    call (fn, data);
  else
    fn (data);
}

void
gomp_ompt_call_task (void (*call) (void (*) (void *), void *),
		     void (*fn) (void *), void *data)
{
  struct gomp_ompt_thread *me = gomp_ompt_thread ();
  struct gomp_ompt_task *task = gomp_thread ()->task->amp_ompt;
  ompt_state_t state;
  struct noted noted;

  if (me == NULL || me->task == NULL || task == NULL)
    {
      run (call, fn, data);
      return;
    }
  state = me->state;
  noted = begin_task (me, task, __builtin_dwarf_cfa ());
  run (call, fn, data);
  me = gomp_ompt_thread ();
  if (me == NULL)
    return;
  if (!task->detachable || fulfilled (task))
    {
      end_task (me, task, ompt_task_complete, state, &noted);
      gomp_ompt_leave_task (task);
    }
  else
    {
      end_task (me, task, ompt_task_detach, state, &noted);
      __atomic_store_n (&task->detached, GOMP_OMPT_RETURNED, MEMMODEL_RELEASE);
    }
}

void
gomp_ompt_call_undeferred (bool ours, void (*fn) (void *), void *data)
{
  struct gomp_ompt_thread *me = gomp_ompt_thread ();
  struct gomp_ompt_task *task;
  ompt_state_t state;
  struct noted noted;

  if (me == NULL || me->task == NULL)
    {
      gomp_amp_run_undeferred (ours, fn, data);
      return;
    }
  task = gomp_ompt_new_task ();
  create (me, task, ompt_task_undeferred);
  state = me->state;
  noted = begin_task (me, task, __builtin_dwarf_cfa ());
  gomp_amp_run_undeferred (ours, fn, data);
  me = gomp_ompt_thread ();
  if (me == NULL)
    return;
  end_task (me, task, ompt_task_complete, state, &noted);
  gomp_ompt_leave_task (task);
  gomp_ompt_return (me->task);
}

void
gomp_ompt_fulfill (struct gomp_task *task)
{
  struct gomp_ompt_task *record = task->amp_ompt;
  int was = GOMP_OMPT_RUNS;

  if (record == NULL || gomp_ompt_thread () == NULL)
    return;
  if (__atomic_compare_exchange_n (&record->detached, &was,
				   GOMP_OMPT_FULFILLING, false,
				   MEMMODEL_ACQ_REL, MEMMODEL_ACQUIRE))
    {
      GOMP_OMPT_CALL (task_schedule, &record->data, ompt_task_early_fulfill,
		      NULL);
      __atomic_store_n (&record->detached, GOMP_OMPT_FULFILLED,
			MEMMODEL_RELEASE);
    }
  else if (was == GOMP_OMPT_RETURNING || was == GOMP_OMPT_RETURNED)
    {
      while (__atomic_load_n (&record->detached, MEMMODEL_ACQUIRE)
	     != GOMP_OMPT_RETURNED)
	sched_yield ();
      task->amp_ompt = NULL;
      GOMP_OMPT_CALL (task_schedule, &record->data, ompt_task_late_fulfill,
		      NULL);
      gomp_ompt_leave_task (record);
    }
}

void
gomp_ompt_begin_taskloop (uint64_t count)
{
  struct gomp_ompt_thread *me = gomp_ompt_thread ();
  struct gomp_ompt_task *task;

  if (me == NULL || me->task == NULL)
    return;
  task = me->task;
  task->tasks = count;
  task->outer_address = me->address;
  GOMP_OMPT_CALL (work, ompt_work_taskloop, ompt_scope_begin,
		  gomp_ompt_region_data (task), &task->data, count,
		  me->address);
}

void
gomp_ompt_end_taskloop (void)
{
  struct gomp_ompt_thread *me = gomp_ompt_thread ();
  struct gomp_ompt_task *task;

  if (me == NULL || me->task == NULL || me->task->outer_address == NULL)
    return;
  task = me->task;
  GOMP_OMPT_CALL (work, ompt_work_taskloop, ompt_scope_end,
		  gomp_ompt_region_data (task), &task->data, task->tasks,
		  task->outer_address);
  task->outer_address = NULL;
}
