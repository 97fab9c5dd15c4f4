/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Reads a schedule of the fork from OMP_SCHEDULE and similar variables into
   libgomp's internal control variables (ICVs), and shows what routed loops run
   as because of them.  */

#include "libgomp.h"
#include <string.h>
#include "loops/loop-kind.h"
#include "options/options.h"
#include "options/schedules.h"

int
gomp_amp_read_schedule (const char *name, const char *value, unsigned *kind,
			int *chunk, int *arg)
{
  struct gomp_amp_schedule schedule;
  /* OMP_SCHEDULE_DEV_2147483647 is the longest name.  */
  char variable[32];

  switch (gomp_amp_parse_schedule (value, &schedule))
    {
    case GOMP_AMP_PARSE_OTHER:
      return -1;

    case GOMP_AMP_PARSE_BAD:
      snprintf (variable, sizeof variable, "%.*s", (int) strcspn (name, "="),
		name);
      gomp_amp_value_error (variable, value, NULL,
			    gomp_amp_schedules_accepted (),
			    "using the default schedule");
      return 0;

    case GOMP_AMP_PARSE_OK:
      break;
    }
  *kind = schedule.kind;
  if (schedule.monotonic)
    *kind |= GFS_MONOTONIC;
  *chunk = schedule.chunk;
  *arg = schedule.arg;
  return 1;
}

void
gomp_amp_schedule_given (int arg)
{
  int kind = gomp_global_icv.run_sched_var & ~GFS_MONOTONIC;

  gomp_global_icv.run_sched_given = true;
  if (kind & GFS_AMP)
    gomp_amp_schedule_arg[GOMP_AMP_SCHEDULE_INDEX (kind)] = arg;
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
