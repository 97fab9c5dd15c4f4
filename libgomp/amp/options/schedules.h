/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The loop schedules of OMP_SCHEDULE, GOMP_AMP_SCHEDULE and omp_set_schedule,
   and their display.  */

#ifndef GOMP_AMP_SCHEDULES_H
#define GOMP_AMP_SCHEDULES_H 1

#include <stdbool.h>
#include <stdio.h>
#include "amp-types.h"
#include "options/options.h"

#pragma GCC visibility push(hidden)

/* The schedules that upstream's parser knows, each as ROW (IDENT, "name",
   KIND), with omp.h's kinds.  */
#define GOMP_AMP_OPENMP_SCHEDULES(row) \
  row (STATIC, "static", 1) \
  row (DYNAMIC, "dynamic", 2) \
  row (GUIDED, "guided", 3) \
  row (AUTO, "auto", 4)

enum gomp_amp_parse
{
  GOMP_AMP_PARSE_OTHER,		/* One of OpenMP's own schedules: upstream's
				   parser judges it.  */
  GOMP_AMP_PARSE_OK,
  GOMP_AMP_PARSE_BAD		/* Anything else.  */
};

/* Bits of a kind of ours that show who chose it.  ROUTED: GOMP_AMP_SCHEDULE
   did, so that the second argument is that variable's and not that of
   OMP_SCHEDULE.  DEFAULT: no one did, it is the default of loops that the
   compiler routed.  */
#define GOMP_AMP_SCHEDULE_ROUTED 0x100
#define GOMP_AMP_SCHEDULE_DEFAULT 0x200
#define GOMP_AMP_SCHEDULE_CHOOSER \
  (GOMP_AMP_SCHEDULE_ROUTED | GOMP_AMP_SCHEDULE_DEFAULT)

/* The index of the second argument of a kind of ours in gomp_amp_schedule_arg:
   the kind's low byte.  The arguments of GOMP_AMP_SCHEDULE follow those of
   OMP_SCHEDULE.  */
#define GOMP_AMP_SCHEDULES (GFS_AMP_END & 0xff)
#define GOMP_AMP_SCHEDULE_INDEX(kind) \
  (((kind) & 0xff) \
   + ((kind) & GOMP_AMP_SCHEDULE_ROUTED ? GOMP_AMP_SCHEDULES : 0))

/* The second arguments from the environment (percent of aid_hybrid, M of
   aid_dynamic); 0 = not given.  Written at start-up only.  */
extern int gomp_amp_schedule_arg[2 * GOMP_AMP_SCHEDULES];

/* What a loop's state machine needs to know of a schedule of ours: the column
   TRAITS of schedules.def.  */
enum gomp_amp_trait
{
  /* Threads count themselves in with the time of their first iterations.  What
     they run then follows from the classes' times.  */
  GOMP_AMP_SAMPLES = 1,
  /* Each phase has its own allotments.  The second argument is what a thread of
     the slowest class gets in a phase.  Each phase compares the classes
     again.  */
  GOMP_AMP_PHASES = 2,
  /* The second argument is the percentage that is allotted.  The rest is
     dynamic.  */
  GOMP_AMP_TAIL = 4
};

/* By a kind's low byte, a set of enum gomp_amp_trait.  The first element is for
   GFS_AMP_EVEN.  */
extern const unsigned char gomp_amp_traits[GOMP_AMP_SCHEDULES];

static inline unsigned
gomp_amp_traits_of (int kind)
{
  return gomp_amp_traits[kind & 0xff];
}

/* Whether KIND, one of ours, is dynamic on a team whose cores are of one class;
   the others are static there.  From the column ALIKE of schedules.def.
   Comparing constants is faster than a table.  */
static inline bool
gomp_amp_dynamic_when_alike (int kind)
{
  enum { GOMP_AMP_ALIKE_STATIC = 0, GOMP_AMP_ALIKE_DYNAMIC = 1 };
  return false
#define GOMP_AMP_SCHEDULE(ident, name, public_kind, chunk, arg, arg_min, \
			  arg_max, arg_default, traits, alike, ...) \
	 || (GOMP_AMP_ALIKE_##alike && (kind & 0xff) == ((public_kind) & 0xff))
#include "options/schedules.def"
	 ;
}

/* Parse VALUE, a value of OMP_SCHEDULE.  *OUT is written only if the result is
   GOMP_AMP_PARSE_OK.  Prints nothing.  */
extern enum gomp_amp_parse gomp_amp_parse_schedule
  (const char *value, struct gomp_amp_schedule *out);

/* Parse VALUE, a value of GOMP_AMP_SCHEDULE, into *OUT.  OpenMP's own kinds are
   allowed, as upstream reads them from OMP_SCHEDULE.  If OUT's kind is one of
   ours, it has GOMP_AMP_SCHEDULE_ROUTED.  OUT's chunk is the one to run with.
   If VALUE is no schedule, returns false and leaves *OUT unchanged.  Prints
   nothing.  */
extern bool gomp_amp_parse_routed_schedule (const char *value,
					    struct gomp_amp_schedule *out);

/* The second argument in force for KIND if the first is CHUNK (0 = not given):
   the one from OMP_SCHEDULE, or from GOMP_AMP_SCHEDULE if KIND has
   GOMP_AMP_SCHEDULE_ROUTED; else the default.  aid_dynamic's M is never less
   than m: if no valid M was given, it is 5, or 5 * m (saturating) if m is more
   than 5.  0 for a kind that has no second argument.  */
extern int gomp_amp_schedule_effective_arg (int kind, int chunk);

/* What both variables accept, for messages.  Two threads must not call it at
   once.  */
extern const char *gomp_amp_schedules_accepted (void);

/* Read VALUE, the value of the environment variable NAME.  NAME may be followed
   by = and the value.  Returns 1 if VALUE is one of our kinds, and stores the
   kind with its modifier, the chunk and the second argument.  Returns 0 if it
   is no schedule at all, which is reported.  Returns -1 if it is a schedule of
   OpenMP, which upstream's parser reads; that parser would also report
   static_aid, but take it for static,1.  */
extern int gomp_amp_read_schedule (const char *name, const char *value,
				   unsigned *kind, int *chunk, int *arg);

/* The environment gave the schedule in gomp_global_icv.  ARG is its second
   argument if it is one of our kinds.  */
extern void gomp_amp_schedule_given (int arg);

/* Print KIND, one of ours without GFS_MONOTONIC, and CHUNK as omp_display_env
   does, e.g. AID_HYBRID,4,80 or AID_HYBRID,,50.  */
extern void gomp_amp_display_schedule (FILE *stream, int kind, int chunk);

/* Print a schedule that is not in force, with the second argument GIVEN, in
   the form of gomp_amp_display_schedule.  */
extern void gomp_amp_display_given (FILE *stream, int kind, int chunk,
				    int given);

/* Print SCHEDULE, of any kind, as omp_display_env prints OMP_SCHEDULE.  */
extern void gomp_amp_display_routed_schedule
  (FILE *stream, const struct gomp_amp_schedule *schedule);

/* Print in the same way what routed loops run as on a team whose cores differ,
   unless the program sets a schedule.  */
extern void gomp_amp_display_routed_loops (FILE *stream);

/* For omp_set_schedule: if KIND (bit 31 ignored) is one of ours, set *CHUNK to
   0 (the default) if it is less than 1, and return 1; else return 0.  */
extern int gomp_amp_set_schedule (int kind, int *chunk);

#pragma GCC visibility pop

#endif /* GOMP_AMP_SCHEDULES_H */
