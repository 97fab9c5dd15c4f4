/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Puts a schedule of the fork that OMP_SCHEDULE names into libgomp's
   internal control variables, and shows what routed loops run as by them.  */

#include "libgomp.h"
#include "loop-kind.h"
#include "options.h"
#include "schedules.h"

bool
gomp_amp_env_schedule (void)
{
  const char *value = getenv ("OMP_SCHEDULE");
  struct gomp_amp_schedule schedule;

  if (value == NULL)
    return false;
  switch (gomp_amp_parse_schedule (value, &schedule))
    {
    case GOMP_AMP_PARSE_OTHER:
      return false;

    case GOMP_AMP_PARSE_BAD:
      gomp_amp_value_error ("OMP_SCHEDULE", value, NULL,
			    gomp_amp_schedules_accepted (),
			    "using the default schedule");
      return true;

    case GOMP_AMP_PARSE_OK:
      break;
    }
  gomp_global_icv.run_sched_var = schedule.kind;
  if (schedule.monotonic)
    gomp_global_icv.run_sched_var |= GFS_MONOTONIC;
  gomp_global_icv.run_sched_chunk_size = schedule.chunk;
  gomp_global_icv.run_sched_given = true;
  gomp_amp_schedule_arg[GOMP_AMP_SCHEDULE_INDEX (schedule.kind)] = schedule.arg;
  return true;
}

void
gomp_amp_display_routed_loops (FILE *stream)
{
  const struct gomp_task_icv *icv = &gomp_global_icv;
  struct gomp_amp_schedule schedule = gomp_amp_options.schedule;

  if (schedule.kind == 0 && !icv->run_sched_given)
    schedule.kind = GOMP_AMP_ROUTED_KIND;
  else if (schedule.kind == 0)
    {
      schedule.kind = icv->run_sched_var & ~GFS_MONOTONIC;
      schedule.chunk = icv->run_sched_chunk_size;
      schedule.monotonic = (icv->run_sched_var & GFS_MONOTONIC) != 0;
      schedule.nonmonotonic = !schedule.monotonic;
    }
  gomp_amp_display_routed_schedule (stream, &schedule);
}
