/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* OMPT: threads, regions and implicit tasks.  */

#include "libgomp.h"
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "ompt/ompt-data.h"

__thread struct gomp_ompt_thread *gomp_ompt_self;

/* Records of tasks and regions that are no longer used, and which no thread
   keeps.  The first word of each is the next one.  A signal handler that
   interrupts malloc cannot fork, so that a region calls malloc only as long as
   there are ever more records in use.  A thread takes all of a list at once:
   no other one could see a record leave it and come back.  */
static void *free_tasks, *free_regions;

/* The most that a thread keeps, but for what it has just made.  */
#define SPARE_MOST 16

/* How many are made at a time.  */
#define BATCH 8

/* COUNT records of SIZE, one after another, all zero.  A handler that
   interrupted malloc and forked would wait for malloc's lock, which regions
   without a tool do not take.  */

static void *
make_records (unsigned count, size_t size)
{
  sigset_t all, before;
  void *records;

  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  records = gomp_malloc_cleared (count * size);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  return records;
}

/* A record of SIZE, all zero, from the list at OFFSET in the calling thread's
   record, or from *ALL.  */

static void *
take (size_t offset, void **all, size_t size)
{
  struct gomp_ompt_thread *me = gomp_ompt_self;
  void **mine = (void **) ((char *) me + offset);
  void *record;

  if (me == NULL)
    return make_records (1, size);
  /* Acquire what its last users have done.  */
  if (*mine == NULL && __atomic_load_n (all, MEMMODEL_RELAXED) != NULL)
    for (*mine = record = __atomic_exchange_n (all, NULL, MEMMODEL_ACQUIRE);
	 record != NULL; record = *(void **) record)
      me->spare_count++;
  record = *mine;
  if (record == NULL)
    {
      record = make_records (BATCH, size);
      for (unsigned i = 1; i < BATCH; i++)
	{
	  void **spare = (void **) ((char *) record + i * size);

	  *spare = *mine;
	  *mine = spare;
	}
      me->spare_count += BATCH - 1;
      return record;
    }
  *mine = *(void **) record;
  me->spare_count--;
  return memset (record, 0, size);
}

static void
give (size_t offset, void **all, void *record)
{
  struct gomp_ompt_thread *me = gomp_ompt_self;
  void **mine = (void **) ((char *) me + offset);
  void *first;

  if (me != NULL && me->spare_count < SPARE_MOST)
    {
      *(void **) record = *mine;
      *mine = record;
      me->spare_count++;
      return;
    }
  first = __atomic_load_n (all, MEMMODEL_RELAXED);
  do
    *(void **) record = first;
  while (!__atomic_compare_exchange_n (all, &first, record, true,
				       MEMMODEL_RELEASE, MEMMODEL_RELAXED));
}

/* ME, which ends, keeps no more records.  */

static void
give_all (struct gomp_ompt_thread *me)
{
  void *record, *next;

  me->spare_count = SPARE_MOST;
  for (record = me->spare_tasks; record != NULL; record = next)
    {
      next = *(void **) record;
      give (0, &free_tasks, record);
    }
  for (record = me->spare_regions; record != NULL; record = next)
    {
      next = *(void **) record;
      give (0, &free_regions, record);
    }
}

/* A user of REGION leaves it.  */

static void
leave_region (struct gomp_ompt_region *region)
{
  struct gomp_ompt_task *encountering = region->encountering;

  GOMP_AMP_ASSERT (__atomic_load_n (&region->users, MEMMODEL_RELAXED) != 0);
  /* Release what this user has read, and acquire that all others have.  */
  if (__atomic_sub_fetch (&region->users, 1, MEMMODEL_ACQ_REL) != 0)
    return;
  give (offsetof (struct gomp_ompt_thread, spare_regions), &free_regions,
	region);
  gomp_ompt_leave_task (encountering);
}

void
gomp_ompt_leave_task (struct gomp_ompt_task *task)
{
  while (task != NULL
	 && __atomic_sub_fetch (&task->users, 1, MEMMODEL_ACQ_REL) == 0)
    {
      struct gomp_ompt_task *next = task->kept_task;

      if (task->kept_region != NULL)
	leave_region (task->kept_region);
      if (task->thread != NULL)
	free (task->thread);
      else
	give (offsetof (struct gomp_ompt_thread, spare_tasks), &free_tasks,
	      task);
      task = next;
    }
}

struct gomp_ompt_task *
gomp_ompt_new_task (void)
{
  struct gomp_ompt_task *task
    = take (offsetof (struct gomp_ompt_thread, spare_tasks), &free_tasks,
	    sizeof *task);

  task->users = 1;
  return task;
}

/* Relaxed: the calling thread has a user of what it adds another one to.  */

static inline void
add_user (unsigned *users)
{
  GOMP_AMP_ASSERT (__atomic_load_n (users, MEMMODEL_RELAXED) != 0);
  __atomic_add_fetch (users, 1, MEMMODEL_RELAXED);
}

/* TASK, which the calling thread runs, encounters a region.  Only then do
   explicit tasks use what the thread had begun before.  */

static void
keep_task (struct gomp_ompt_task *task)
{
  add_user (&task->users);
  for (; (task->flags & ompt_task_explicit) && task->kept_task == NULL;
       task = task->under)
    {
      task->kept_task = task->under;
      add_user (&task->under->users);
    }
}

struct gomp_ompt_thread *
gomp_ompt_new_thread (ompt_thread_t type)
{
  static __thread bool making;
  struct gomp_ompt_thread *me;
  struct gomp_ompt_task *task;

  /* The region began while the tool was being started.  The thread that starts
     it waits for this one, which must not wait for the start.  */
  if (type == ompt_thread_initial && gomp_thread ()->ts.team != NULL)
    return NULL;
  if (!gomp_ompt_start ())
    return NULL;
  /* The start of the tool may have made it.  */
  if (gomp_ompt_self != NULL)
    return gomp_ompt_self;
  /* The program's own malloc may enter a critical section.  */
  if (making)
    return NULL;
  making = true;
  me = make_records (1, sizeof *me);
  making = false;
  me->type = type;
  me->state = ompt_state_overhead;
  me->initial_task.users = 1;
  me->initial_task.thread = me;
  gomp_ompt_self = me;
  GOMP_OMPT_CALL (thread_begin, type, &me->data);
  me->state = ompt_state_idle;
  if (type != ompt_thread_initial)
    return me;
  /* Have gomp_free_thread called.  */
  pthread_setspecific (gomp_thread_destructor, gomp_thread ());
  task = &me->initial_task;
  me->initial_region.size = task->size = 1;
  task->flags = ompt_task_initial;
  task->region = &me->initial_region;
  gomp_ompt_push (me, task, NULL);
  /* OpenMP defines index and actual parallelism of an initial task as 1.  */
  GOMP_OMPT_CALL (implicit_task, ompt_scope_begin, &me->initial_region.data,
		  &task->data, 1, 1, ompt_task_initial);
  return me;
}

void
gomp_ompt_end_thread (struct gomp_ompt_thread *me)
{
  if (me->ends)
    return;
  me->ends = true;
  if (me->type == ompt_thread_initial)
    {
      gomp_ompt_close_work (&me->initial_task);
      GOMP_OMPT_CALL (implicit_task, ompt_scope_end, NULL,
		      &me->initial_task.data, 1, 1, ompt_task_initial);
    }
  gomp_ompt_set_task (me, NULL);
  GOMP_OMPT_CALL (thread_end, &me->data);
}

void
gomp_ompt_thread_ends (void)
{
  struct gomp_ompt_thread *me = gomp_ompt_self;

  if (me == NULL || me->stays)
    return;
  if (gomp_ompt_on)
    gomp_ompt_end_thread (me);
  give_all (me);
  gomp_ompt_self = NULL;
  __atomic_signal_fence (MEMMODEL_SEQ_CST);
  gomp_ompt_leave_task (&me->initial_task);
}

void
gomp_ompt_target_ends (struct gomp_thread *thr)
{
  struct gomp_ompt_thread *me = gomp_ompt_self;

  if (me != NULL)
    me->stays = true;
  gomp_free_thread (thr);
  if (me != NULL)
    me->stays = false;
}

void
gomp_ompt_push (struct gomp_ompt_thread *me, struct gomp_ompt_task *task,
		void *frame)
{
  task->frame.exit_frame.ptr = frame;
  task->frame.exit_frame_flags = ompt_frame_runtime | ompt_frame_cfa;
  task->frame.enter_frame_flags = ompt_frame_runtime | ompt_frame_cfa;
  task->resume = me->task;
  gomp_ompt_set_task (me, task);
  me->state = gomp_ompt_working (me);
}

void
gomp_ompt_note_call (const void *address, void *frame)
{
  struct gomp_ompt_thread *me = gomp_ompt_thread ();

  if (me == NULL)
    return;
  me->address = address;
  me->frame = frame;
  me->start = false;
  me->count = 0;
}

void
gomp_ompt_note_start (void)
{
  struct gomp_ompt_thread *me = gomp_ompt_thread ();

  if (me != NULL)
    me->start = true;
}

void
gomp_ompt_note_work (ompt_work_t type, uint64_t count)
{
  struct gomp_ompt_thread *me = gomp_ompt_thread ();

  if (me == NULL)
    return;
  me->work = type;
  /* A loop without iterations is a construct, too.  */
  me->count = count != 0 ? count : UINT64_MAX;
}

void
gomp_ompt_region_begins (struct gomp_team *team, void (*fn) (void *))
{
  struct gomp_ompt_thread *me = gomp_ompt_thread ();
  struct gomp_ompt_region *region;

  if (me == NULL || me->task == NULL)
    return;
  region = take (offsetof (struct gomp_ompt_thread, spare_regions),
		 &free_regions, sizeof *region);
  region->function = (const void *) fn;
  region->address = me->address;
  region->size = team->nthreads;
  region->flags = (ompt_parallel_team
		   | (me->start ? ompt_parallel_invoker_program
		      : ompt_parallel_invoker_runtime));
  region->encountering = me->task;
  region->users = 1;
  keep_task (me->task);
  region->work = me->work;
  region->count = me->count;
  me->count = 0;
  team->amp_ompt = region;
  /* The end of a single construct may not have been seen.  A loop or section
     in which the region is goes on.  */
  if (me->task->work == ompt_work_single_executor)
    gomp_ompt_close_work (me->task);
  gomp_ompt_enter (me->task, me->frame);
  me->state = ompt_state_overhead;
  GOMP_OMPT_CALL (parallel_begin, &me->task->data, &me->task->frame,
		  &region->data, region->size, region->flags, region->address);
}

void
gomp_ompt_first_begins (struct gomp_team *team)
{
  struct gomp_ompt_thread *me = gomp_ompt_thread ();

  if (me != NULL && team->amp_ompt != NULL)
    gomp_ompt_id_begins (team, 0, me->frame);
}

void
gomp_ompt_id_begins (struct gomp_team *team, unsigned id, void *frame)
{
  struct gomp_ompt_region *region = team->amp_ompt;
  struct gomp_ompt_thread *me;
  struct gomp_ompt_task *task;

  /* The tool may have been started since the region began.  */
  if (region == NULL)
    return;
  if (gomp_ompt_self == NULL)
    gomp_ompt_new_thread (ompt_thread_worker);
  me = gomp_ompt_thread ();
  if (me == NULL)
    return;
  task = gomp_ompt_new_task ();
  task->flags = ompt_task_implicit;
  task->id = id;
  task->size = region->size;
  task->region = task->kept_region = region;
  add_user (&region->users);
  task->under = region->encountering;
  gomp_ompt_push (me, task, frame);
  GOMP_OMPT_CALL (implicit_task, ompt_scope_begin, &region->data, &task->data,
		  task->size, id, task->flags);
  if (region->count != 0)
    gomp_ompt_begin_work (region->work,
			  region->count != UINT64_MAX ? region->count : 0,
			  region->address);
}

/* The implicit task that ME runs, if its thread began it as an id of a
   region.  */

static struct gomp_ompt_task *
implicit_task (struct gomp_ompt_thread *me)
{
  return (me != NULL && me->task != NULL
	  && (me->task->flags & ompt_task_implicit) ? me->task : NULL);
}

void
gomp_ompt_id_arrives (void)
{
  struct gomp_ompt_thread *me = gomp_ompt_thread ();
  struct gomp_ompt_task *task = implicit_task (me);

  if (task == NULL)
    return;
  gomp_ompt_close_work (task);
  me->state = ompt_state_wait_barrier_implicit_parallel;
  /* The program's function has returned.  */
  task->frame.exit_frame.ptr = NULL;
  GOMP_OMPT_CALL (sync_region, ompt_sync_region_barrier_implicit_parallel,
		  ompt_scope_begin, &task->region->data, &task->data,
		  task->region->address);
}

void
gomp_ompt_id_waits (void)
{
  struct gomp_ompt_thread *me = gomp_ompt_thread ();
  struct gomp_ompt_task *task = implicit_task (me);

  if (task == NULL)
    return;
  me->state = ompt_state_wait_barrier_implicit_parallel;
  GOMP_OMPT_CALL (sync_region_wait, ompt_sync_region_barrier_implicit_parallel,
		  ompt_scope_begin, &task->region->data, &task->data,
		  task->region->address);
}

void
gomp_ompt_id_ends (void)
{
  struct gomp_ompt_thread *me = gomp_ompt_thread ();
  struct gomp_ompt_task *task = implicit_task (me);
  const void *address = NULL;

  if (task == NULL)
    return;
  if (task->id == 0)
    address = task->region->address;
  else
    {
      /* The tool may give up what it knows of the region.  Relaxed: threads of
	 inner regions may read it.  */
      __atomic_store_n (&task->region, NULL, MEMMODEL_RELAXED);
      __atomic_store_n (&task->under, NULL, MEMMODEL_RELAXED);
    }
  GOMP_OMPT_CALL (sync_region_wait, ompt_sync_region_barrier_implicit_parallel,
		  ompt_scope_end, gomp_ompt_region_data (task), &task->data,
		  address);
  GOMP_OMPT_CALL (sync_region, ompt_sync_region_barrier_implicit_parallel,
		  ompt_scope_end, gomp_ompt_region_data (task), &task->data,
		  address);
  me->state = ompt_state_overhead;
  GOMP_OMPT_CALL (implicit_task, ompt_scope_end, NULL, &task->data,
		  task->size, task->id, task->flags);
  gomp_ompt_set_task (me, task->resume);
  me->state = gomp_ompt_working (me);
  gomp_ompt_leave_task (task);
}

void
gomp_ompt_region_ends (struct gomp_team *team)
{
  struct gomp_ompt_thread *me = gomp_ompt_thread ();
  struct gomp_ompt_region *region = team->amp_ompt;

  if (region == NULL)
    return;
  team->amp_ompt = NULL;
  if (me != NULL)
    {
      GOMP_OMPT_CALL (parallel_end, &region->data, &region->encountering->data,
		      region->flags, region->address);
      gomp_ompt_return (region->encountering);
      me->state = gomp_ompt_working (me);
    }
  leave_region (region);
}
