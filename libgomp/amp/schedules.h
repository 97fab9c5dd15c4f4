/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The fork's loop schedules: OMP_SCHEDULE, omp_set_schedule and display.  */

#ifndef GOMP_AMP_SCHEDULES_H
#define GOMP_AMP_SCHEDULES_H 1

#include <stdbool.h>
#include <stdio.h>

#pragma GCC visibility push(hidden)

/* The names of the schedules that upstream's parser knows.  */
#define GOMP_AMP_OPENMP_SCHEDULES "static", "dynamic", "guided", "auto"

enum gomp_amp_parse
{
  GOMP_AMP_PARSE_OTHER,		/* Names one of OpenMP's own schedules:
				   upstream's parser is to judge it.  */
  GOMP_AMP_PARSE_OK,
  GOMP_AMP_PARSE_BAD		/* Anything else.  */
};

/* One parsed value of OMP_SCHEDULE.  */
struct gomp_amp_schedule
{
  int kind;			/* GFS_AID_*, without modifier bits.  */
  int chunk;			/* 1..INT_MAX; 0 = not given.  */
  int arg;			/* Second argument; 0 = not given.  */
  bool monotonic;		/* "monotonic:" was written.  */
  bool nonmonotonic;		/* "nonmonotonic:" was written.  */
};

/* The low byte of a kind indexes gomp_amp_schedule_arg.  */
#define GOMP_AMP_SCHEDULE_INDEX(kind) ((kind) & 0xff)
#define GOMP_AMP_SCHEDULES 4

/* The second argument that OMP_SCHEDULE gave to each kind (percent of
   aid_hybrid, M of aid_dynamic); 0 = not given.  Written at start-up only.  */
extern int gomp_amp_schedule_arg[GOMP_AMP_SCHEDULES];

/* Parse VALUE, a value of OMP_SCHEDULE.  *OUT is written only when the result
   is GOMP_AMP_PARSE_OK.  Prints nothing.  */
extern enum gomp_amp_parse gomp_amp_parse_schedule
  (const char *value, struct gomp_amp_schedule *out);

/* The second argument in force for KIND when its first is CHUNK (0 = not
   given): what OMP_SCHEDULE said, else the default.  aid_dynamic's M is never
   less than m: where no fitting M was given it is 5, or 5 * m (saturating)
   when m is more than 5.  0 for a kind that has no second argument.  */
extern int gomp_amp_schedule_effective_arg (int kind, int chunk);

/* What OMP_SCHEDULE accepts, for messages.  Not to be called by two threads at
   once.  */
extern const char *gomp_amp_schedules_accepted (void);

/* If OMP_SCHEDULE is one of our kinds put it into gomp_global_icv, if it is no
   schedule at all report it, and in both cases return true.  False if it is
   unset or names a schedule of OpenMP: upstream's parser shall go on.  Left
   to that, static_aid would be reported and yet take effect as static,1.  */
extern bool gomp_amp_env_schedule (void);

/* Print KIND, which has no modifier bits, and CHUNK in the manner of
   omp_display_env, e.g. AID_HYBRID,4,80 or AID_HYBRID,,50.  */
extern void gomp_amp_display_schedule (FILE *stream, int kind, int chunk);

/* For omp_set_schedule: if KIND (bit 31 ignored) is one of ours, make *CHUNK
   0 (the default) if it is less than 1, and return 1; else return 0.  */
extern int gomp_amp_set_schedule (int kind, int *chunk);

#pragma GCC visibility pop

#endif /* GOMP_AMP_SCHEDULES_H */
