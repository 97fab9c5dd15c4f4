/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The records of OMPT; for ompt-*.c only.

   The rules, and their reasons:

   1. A thread finds what it does in its own records alone, and never in
      upstream's structures: when a thread leaves the barrier at a region's end,
      these may be those of the next region.
   2. Only the thread that runs a task writes its record, but that another
      thread may fulfill its event.  Threads of inner regions read the record of
      the encountering task.
   3. A record is freed when its last user has left it.  A region is used by its
      run and by each of its implicit tasks, a task by its thread and by each
      region that it has encountered: a signal handler in a thread that is still
      in the barrier at a region's end, or leaves it, may ask for any of them
      when id 0 has gone on.
   4. A signal handler may interrupt its thread anywhere.  A record is complete
      before the thread's TASK leads to it, and is left after that.  */

#ifndef GOMP_OMPT_DATA_H
#define GOMP_OMPT_DATA_H 1

#include <stdbool.h>
#include <stdint.h>
#include "base/assert.h"
#include "ompt/ompt.h"
#include "ompt/ompx-amp-tools.h"

#pragma GCC visibility push(hidden)

struct gomp_ompt_region
{
  ompt_data_t data;
  const void *address;
  unsigned size;
  int flags;
  struct gomp_ompt_task *encountering;
  /* Rule 3.  */
  unsigned users;
  /* The worksharing construct that the region consists of, if COUNT is not
     0.  */
  ompt_work_t work;
  uint64_t count;
  /* For ompx_amp_get_region: what its threads run; and how it was run,
     on how many places, once it has ended.  */
  const void *function;
  ompx_amp_way_t way;
  unsigned places;
};

/* The only implementation of locks: gomp_mutex_t.  */
#define GOMP_OMPT_MUTEX 1

/* How a task whose event must be fulfilled has come to its end.  */
enum gomp_ompt_detached
{
  GOMP_OMPT_RUNS,
  /* Its function has returned, and its thread still uses the record; and does
     not any more.  */
  GOMP_OMPT_RETURNING,
  GOMP_OMPT_RETURNED,
  /* The event is being fulfilled, and has been.  */
  GOMP_OMPT_FULFILLING,
  GOMP_OMPT_FULFILLED
};

struct gomp_ompt_task
{
  ompt_data_t data;
  ompt_frame_t frame;
  int flags;
  unsigned id, size;
  /* Rule 3.  KEPT_REGION, KEPT_TASK: what the record uses, or NULL.  THREAD:
     the record that this one is part of, or NULL.  */
  unsigned users;
  struct gomp_ompt_region *kept_region;
  struct gomp_ompt_task *kept_task;
  struct gomp_ompt_thread *thread;
  /* NULL once the region may have ended.  */
  struct gomp_ompt_region *region;
  /* The next task that encloses it: what the same thread did before, or the
     task that encountered the region.  NULL as above.  */
  struct gomp_ompt_task *under;
  /* What its thread goes on with when the task ends.  */
  struct gomp_ompt_task *resume;
  /* The worksharing construct that it is in, 0 if in none.  */
  ompt_work_t work;
  uint64_t count;
  const void *work_address;
  /* Where the program called a function of the library that calls others
     which it calls, too; NULL if it has not.  TASKS: of a taskloop.  */
  const void *outer_address;
  uint64_t tasks;
  /* It is in a taskgroup that began without a team.  */
  bool orphan;
  /* What it runs, while the function of upstream's task is one of ours.  */
  void (*fn) (void *);
  /* Whether it has an event, and enum gomp_ompt_detached.  */
  bool detachable;
  int detached;
};

struct gomp_ompt_thread
{
  ompt_data_t data;
  ompt_thread_t type;
  /* What it runs; NULL if it waits for a region.  */
  struct gomp_ompt_task *task;
  ompt_state_t state;
  ompt_wait_id_t wait_id;
  /* What the hook at the beginning of a function of the program's has noted for
     a later one: where it was called, whether the program calls the region's
     function, the construct that the region consists of; flags and dependences
     of tasks.  */
  const void *address;
  void *frame;
  bool start;
  ompt_work_t work;
  uint64_t count;
  unsigned task_flags;
  void **depend;
  /* gomp_ompt_wraps calls the function.  */
  bool wrapped;
  /* It has begun to end: the tool may end itself in an event of that.  */
  bool ends;
  /* It goes on, although gomp_free_thread is called.  */
  bool stays;
  /* Records for tasks and regions that are no longer used, SPARE_COUNT in
     all.  */
  void *spare_tasks, *spare_regions;
  unsigned spare_count;
  /* For ompt_thread_initial.  */
  struct gomp_ompt_region initial_region;
  struct gomp_ompt_task initial_task;
};

/* The calling thread's record, or NULL.  */
extern __thread struct gomp_ompt_thread *gomp_ompt_self;

/* Make it.  NULL if there is no tool.  */
extern struct gomp_ompt_thread *gomp_ompt_new_thread (ompt_thread_t type);

/* gomp_ompt_look_up for the entry points of our own.  */
extern ompt_interface_fn_t gomp_ompt_look_up_own (const char *name);

/* A new record of an explicit task.  */
extern struct gomp_ompt_task *gomp_ompt_new_task (void);

/* A user of TASK leaves it.  */
extern void gomp_ompt_leave_task (struct gomp_ompt_task *task);

/* Have the events of the end of ME, the calling thread.  */
extern void gomp_ompt_end_thread (struct gomp_ompt_thread *me);

/* Start the tool unless that has been tried.  Returns whether there is one that
   has not ended.  */
extern bool gomp_ompt_start (void);

/* The tool's callbacks.  */
struct gomp_ompt_call
{
#define GOMP_OMPT_CALLBACK(name, type, set, when) \
  ompt_callback_##type##_t name;
#include "ompt/ompt.def"
};
extern struct gomp_ompt_call gomp_ompt_call;

/* Call that of NAME, if there is one and the tool has not ended: it may have
   ended while the thread waited.  Relaxed: a tool that changes callbacks while
   threads run has to expect both.  */
#define GOMP_OMPT_CALL(name, ...) \
  do									\
    {									\
      __typeof (gomp_ompt_call.name) ompt_call				\
	= __atomic_load_n (&gomp_ompt_call.name, MEMMODEL_RELAXED);	\
      if (ompt_call != NULL						\
	  && __atomic_load_n (&gomp_ompt_on, MEMMODEL_RELAXED))		\
	ompt_call (__VA_ARGS__);					\
    }									\
  while (0)

/* The calling thread's record, made if need be.  NULL if there is no tool.  */

static inline struct gomp_ompt_thread *
gomp_ompt_thread (void)
{
  if (!gomp_ompt_on)
    return NULL;
  if (__builtin_expect (gomp_ompt_self == NULL, 0))
    return gomp_ompt_new_thread (ompt_thread_initial);
  return gomp_ompt_self;
}

/* Have ME run TASK.  Rule 4.  */

static inline void
gomp_ompt_set_task (struct gomp_ompt_thread *me, struct gomp_ompt_task *task)
{
  GOMP_AMP_ASSERT (me == gomp_ompt_self);
  __atomic_signal_fence (MEMMODEL_SEQ_CST);
  me->task = task;
  __atomic_signal_fence (MEMMODEL_SEQ_CST);
}

/* What callbacks get of TASK's region.  */

static inline ompt_data_t *
gomp_ompt_region_data (struct gomp_ompt_task *task)
{
  return task->region != NULL ? &task->region->data : NULL;
}

/* What ME does when it does not wait.  */

static inline ompt_state_t
gomp_ompt_working (const struct gomp_ompt_thread *me)
{
  if (me->task == NULL)
    return ompt_state_idle;
  return (me->task->size > 1 ? ompt_state_work_parallel
	  : ompt_state_work_serial);
}

/* TASK has called the library from FRAME, and returns.  */

static inline void
gomp_ompt_enter (struct gomp_ompt_task *task, void *frame)
{
  task->frame.enter_frame.ptr = frame;
}

static inline void
gomp_ompt_return (struct gomp_ompt_task *task)
{
  task->frame.enter_frame.ptr = NULL;
}

/* Make TASK, which is new, the one that ME runs.  FRAME: the library's, from
   which it calls the program.  */
extern void gomp_ompt_push (struct gomp_ompt_thread *me,
			    struct gomp_ompt_task *task, void *frame);

/* End the worksharing construct that TASK is in, if it is in one.  */
extern void gomp_ompt_close_work (struct gomp_ompt_task *task);

/* TASK, which is new, has the dependences DEPEND, as of GOMP_task.  */
extern void gomp_ompt_call_dependences (struct gomp_ompt_task *task,
					void **depend);

#pragma GCC visibility pop

#endif /* GOMP_OMPT_DATA_H */
