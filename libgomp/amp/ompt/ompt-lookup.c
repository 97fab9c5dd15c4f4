/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* OMPT: the entry points that a tool looks up by name.  */

#define _GNU_SOURCE 1
#include "libgomp.h"
#include <string.h>
#include "machine/cpu.h"
#include "ompt/ompt-data.h"
#include "ompt/ompt-options.h"

ialias_redirect (omp_get_num_procs)
ialias_redirect (omp_get_num_places)
ialias_redirect (omp_get_place_num)
ialias_redirect (omp_get_place_num_procs)
ialias_redirect (omp_get_place_proc_ids)
ialias_redirect (omp_get_partition_num_places)
ialias_redirect (omp_get_partition_place_nums)
ialias_redirect (omp_get_num_devices)

struct named
{
  const char *name;
  int value;
};

/* Store in *NEXT the row of the COUNT rows of TABLE behind the one with the
   value CURRENT, or the first one if CURRENT is START.  Returns whether there
   is one.  */

static int
enumerate (const struct named *table, size_t count, int start, int current,
	   int *next, const char **next_name)
{
  size_t i = 0;

  if (current != start)
    {
      while (i < count && table[i].value != current)
	i++;
      i++;
    }
  if (i >= count)
    return 0;
  *next = table[i].value;
  *next_name = table[i].name;
  return 1;
}

static int
enumerate_states (int current, int *next, const char **next_name)
{
  static const struct named states[] = {
#define GOMP_OMPT_STATE(name) { "ompt_state_" #name, ompt_state_##name },
#include "ompt/ompt.def"
  };

  return enumerate (states, sizeof states / sizeof *states,
		    ompt_state_undefined, current, next, next_name);
}

static int
enumerate_mutex_impls (int current, int *next, const char **next_name)
{
  static const struct named impls[]
    = { { "gomp_mutex_impl_futex", GOMP_OMPT_MUTEX } };

  /* ompt_mutex_impl_none.  */
  return enumerate (impls, 1, 0, current, next, next_name);
}

static ompt_set_result_t
set_callback (ompt_callbacks_t event, ompt_callback_t callback)
{
  switch (event)
    {
#define GOMP_OMPT_CALLBACK(name, type, set, when) \
    case ompt_callback_##name:						\
      __atomic_store_n (&gomp_ompt_call.name,				\
			(ompt_callback_##type##_t) callback,		\
			MEMMODEL_RELAXED);				\
      return ompt_set_##set;
#include "ompt/ompt.def"
    default:
      return (event >= ompt_callback_thread_begin
	      && event <= ompt_callback_error
	      ? ompt_set_never : ompt_set_error);
    }
}

static int
get_callback (ompt_callbacks_t event, ompt_callback_t *callback)
{
  ompt_callback_t found = NULL;

  switch (event)
    {
#define GOMP_OMPT_CALLBACK(name, type, set, when) \
    case ompt_callback_##name:						\
      if (ompt_set_##set != ompt_set_never)				\
	found = (ompt_callback_t) gomp_ompt_call.name;			\
      break;
#include "ompt/ompt.def"
    default:
      break;
    }
  if (found == NULL)
    return 0;
  *callback = found;
  return 1;
}

static ompt_data_t *
get_thread_data (void)
{
  return gomp_ompt_self != NULL ? &gomp_ompt_self->data : NULL;
}

static int
get_state (ompt_wait_id_t *wait_id)
{
  const struct gomp_ompt_thread *me = gomp_ompt_self;

  if (me == NULL)
    return ompt_state_undefined;
  if (wait_id != NULL)
    *wait_id = me->wait_id;
  return me->state;
}

/* The region of TASK, whose thread may be about to leave it, or NULL.  */

static struct gomp_ompt_region *
region_of (const struct gomp_ompt_task *task)
{
  return __atomic_load_n (&task->region, MEMMODEL_RELAXED);
}

static int
get_parallel_info (int level, ompt_data_t **parallel_data, int *team_size)
{
  const struct gomp_ompt_thread *me = gomp_ompt_self;
  struct gomp_ompt_region *region
    = me != NULL && me->task != NULL ? region_of (me->task) : NULL;

  if (level < 0)
    return 0;
  while (level-- > 0 && region != NULL)
    region = (region->encountering != NULL
	      ? region_of (region->encountering) : NULL);
  if (region == NULL)
    return 0;
  if (parallel_data != NULL)
    *parallel_data = &region->data;
  if (team_size != NULL)
    *team_size = region->size;
  return 2;
}

static int
get_task_info (int level, int *flags, ompt_data_t **task_data,
	       ompt_frame_t **task_frame, ompt_data_t **parallel_data,
	       int *thread_num)
{
  const struct gomp_ompt_thread *me = gomp_ompt_self;
  struct gomp_ompt_task *task = me != NULL ? me->task : NULL;

  if (level < 0)
    return 0;
  while (level-- > 0 && task != NULL)
    task = __atomic_load_n (&task->under, MEMMODEL_RELAXED);
  if (task == NULL)
    return 0;
  if (flags != NULL)
    *flags = task->flags;
  if (task_data != NULL)
    *task_data = &task->data;
  if (task_frame != NULL)
    *task_frame = &task->frame;
  if (parallel_data != NULL)
    {
      struct gomp_ompt_region *region = region_of (task);

      *parallel_data = region != NULL ? &region->data : NULL;
    }
  if (thread_num != NULL)
    *thread_num = task->id;
  return 2;
}

static int
get_task_memory (void **address, size_t *size,
		 int block __attribute__ ((unused)))
{
  *address = NULL;
  *size = 0;
  return 0;
}

static int
get_target_info (uint64_t *device_num __attribute__ ((unused)),
		 ompt_id_t *target_id __attribute__ ((unused)),
		 ompt_id_t *host_op_id __attribute__ ((unused)))
{
  return 0;
}

static uint64_t
get_unique_id (void)
{
  /* A lock would be one too many: signal handlers ask.  Where no atomic counter
     is of the size, identifiers repeat after 4 billion.  */
#if __GCC_ATOMIC_LLONG_LOCK_FREE == 2
  static uint64_t last;
#else
  static uint32_t last;
#endif

  /* Relaxed: only the number matters.  */
  return __atomic_add_fetch (&last, 1, MEMMODEL_RELAXED);
}

static int
get_num_procs (void)
{
  return omp_get_num_procs ();
}

static int
get_num_places (void)
{
  return omp_get_num_places ();
}

static int
get_place_proc_ids (int place, int size, int *ids)
{
  int count = omp_get_place_num_procs (place);

  if (ids != NULL && count > 0 && size >= count)
    omp_get_place_proc_ids (place, ids);
  return count;
}

static int
get_place_num (void)
{
  return omp_get_place_num ();
}

static int
get_partition_place_nums (int size, int *places)
{
  int count = omp_get_partition_num_places ();

  if (places != NULL && count > 0 && size >= count)
    omp_get_partition_place_nums (places);
  return count;
}

static int
get_proc_id (void)
{
  return gomp_amp_current_cpu ();
}

static int
get_num_devices (void)
{
  return omp_get_num_devices ();
}

static void
finalize_tool (void)
{
  gomp_ompt_finalize ();
}

ompt_interface_fn_t
gomp_ompt_look_up (const char *name)
{
#define GOMP_OMPT_ENTRY(entry) \
  if (strcmp (name, "ompt_" #entry) == 0)				\
    return (ompt_interface_fn_t) entry;
#include "ompt/ompt.def"
  return gomp_ompt_look_up_own (name);
}
