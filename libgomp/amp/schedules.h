/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The loop schedules of OMP_SCHEDULE, GOMP_AMP_SCHEDULE and omp_set_schedule,
   and their display.  */

#ifndef GOMP_AMP_SCHEDULES_H
#define GOMP_AMP_SCHEDULES_H 1

#include <stdbool.h>
#include <stdio.h>
#include "options.h"

#pragma GCC visibility push(hidden)

/* The schedules that upstream's parser knows: ROW (IDENT, "name", KIND) each, with
   omp.h's kinds.  */
#define GOMP_AMP_OPENMP_SCHEDULES(row) \
  row (STATIC, "static", 1) \
  row (DYNAMIC, "dynamic", 2) \
  row (GUIDED, "guided", 3) \
  row (AUTO, "auto", 4)

enum gomp_amp_parse
{
  GOMP_AMP_PARSE_OTHER,		/* Names one of OpenMP's own schedules:
				   upstream's parser is to judge it.  */
  GOMP_AMP_PARSE_OK,
  GOMP_AMP_PARSE_BAD		/* Anything else.  */
};

/* A bit of a kind of ours: its second argument is that of GOMP_AMP_SCHEDULE and
   not that of OMP_SCHEDULE.  */
#define GOMP_AMP_SCHEDULE_ROUTED 0x100

/* Where gomp_amp_schedule_arg has the second argument of a kind of ours: by its
   low byte, those of GOMP_AMP_SCHEDULE after those of OMP_SCHEDULE.  */
#define GOMP_AMP_SCHEDULES 4
#define GOMP_AMP_SCHEDULE_INDEX(kind) \
  (((kind) & 0xff) \
   + ((kind) & GOMP_AMP_SCHEDULE_ROUTED ? GOMP_AMP_SCHEDULES : 0))

/* The second arguments that the environment gave (percent of aid_hybrid, M of
   aid_dynamic); 0 = not given.  Written at start-up only.  */
extern int gomp_amp_schedule_arg[2 * GOMP_AMP_SCHEDULES];

/* Parse VALUE, a value of OMP_SCHEDULE.  *OUT is written only when the result
   is GOMP_AMP_PARSE_OK.  Prints nothing.  */
extern enum gomp_amp_parse gomp_amp_parse_schedule
  (const char *value, struct gomp_amp_schedule *out);

/* Parse VALUE, a value of GOMP_AMP_SCHEDULE, into *OUT: OpenMP's own kinds too,
   as upstream reads them from OMP_SCHEDULE.  OUT's kind has
   GOMP_AMP_SCHEDULE_ROUTED if it is one of ours, and OUT's chunk is the one to
   run with.  Returns false and leaves *OUT alone if VALUE is no schedule.
   Prints nothing.  */
extern bool gomp_amp_parse_routed_schedule (const char *value,
					    struct gomp_amp_schedule *out);

/* The second argument in force for KIND when its first is CHUNK (0 = not
   given): what OMP_SCHEDULE said (GOMP_AMP_SCHEDULE, if KIND has
   GOMP_AMP_SCHEDULE_ROUTED), else the default.  aid_dynamic's M is never
   less than m: where no fitting M was given it is 5, or 5 * m (saturating)
   when m is more than 5.  0 for a kind that has no second argument.  */
extern int gomp_amp_schedule_effective_arg (int kind, int chunk);

/* What both variables accept, for messages.  Not to be called by two threads at
   once.  */
extern const char *gomp_amp_schedules_accepted (void);

/* If OMP_SCHEDULE is one of our kinds put it into gomp_global_icv, if it is no
   schedule at all report it, and in both cases return true.  False if it is
   unset or names a schedule of OpenMP: upstream's parser shall go on.  Left
   to that, static_aid would be reported and yet take effect as static,1.  */
extern bool gomp_amp_env_schedule (void);

/* Print KIND, one of ours without GFS_MONOTONIC, and CHUNK in the manner of
   omp_display_env, e.g. AID_HYBRID,4,80 or AID_HYBRID,,50.  */
extern void gomp_amp_display_schedule (FILE *stream, int kind, int chunk);

/* Print SCHEDULE, of any kind, in the manner in which omp_display_env prints
   OMP_SCHEDULE.  */
extern void gomp_amp_display_routed_schedule
  (FILE *stream, const struct gomp_amp_schedule *schedule);

/* Print in the same manner what routed loops run as where the team's cores
   differ, unless the program sets a schedule.  */
extern void gomp_amp_display_routed_loops (FILE *stream);

/* For omp_set_schedule: if KIND (bit 31 ignored) is one of ours, make *CHUNK
   0 (the default) if it is less than 1, and return 1; else return 0.  */
extern int gomp_amp_set_schedule (int kind, int *chunk);

#pragma GCC visibility pop

#endif /* GOMP_AMP_SCHEDULES_H */
