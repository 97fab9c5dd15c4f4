/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The fork's options as read from the environment (options.def).  */

#ifndef GOMP_AMP_OPTIONS_H
#define GOMP_AMP_OPTIONS_H 1

#include "options/option-types.h"

#pragma GCC visibility push(hidden)

enum gomp_amp_affinity
{
  GOMP_AMP_AFFINITY_FALSE,
  GOMP_AMP_AFFINITY_BS,		/* Thread 0 on the biggest core.  */
  GOMP_AMP_AFFINITY_SB		/* Thread 0 on the smallest core.  */
};

enum gomp_amp_task_schedule
{
  GOMP_AMP_TASKS_UPSTREAM,
  GOMP_AMP_TASKS_FIFO
};

enum gomp_amp_fold_ranges
{
  GOMP_AMP_RANGES_MEASURED,
  GOMP_AMP_RANGES_FIXED
};

enum gomp_amp_loop_plans
{
  GOMP_AMP_PLANS_LEARNED,
  GOMP_AMP_PLANS_NONE
};

/* Not for the library: code of programs reads it (gcc-patch/guard).  */
enum gomp_amp_notice
{
  GOMP_AMP_NOTICE_ON,
  GOMP_AMP_NOTICE_OFF
};

/* What the work of a thread is in virtual time.  */
enum gomp_amp_virtual_work
{
  GOMP_AMP_VIRTUAL_AUTO,
  GOMP_AMP_VIRTUAL_COUNTED,
  GOMP_AMP_VIRTUAL_TIMED
};

/* One field per row of options.def, which starts with the row's default.  */
struct gomp_amp_options
{
#define GOMP_AMP_OPTION(field, name, type, def, min, max, expected, help) \
  gomp_amp_type_##type field;
#include "options/options.def"
};

extern struct gomp_amp_options gomp_amp_options;

/* Fill gomp_amp_options from the environment; no file is opened.  A bad value
   is reported and leaves the option at its default.  Call this once, before
   any other function of the fork.  In a set-user-ID program the fork's
   variables are ignored.  */
extern void gomp_amp_init_options (void);

/* The environment, which may be NULL.  */
extern char **gomp_amp_environ (void);

/* Report each variable of the environment that begins with GOMP_AMP_,
   GOMP_AID_ or GOMP_TASK_ and is an option neither of this library nor of the
   lab's.  Call this once.  In a set-user-ID program nothing is reported.  */
extern void gomp_amp_report_unknown_options (void);

/* Report that VALUE is not acceptable for the environment variable NAME, a row
   of options.def, and that CONSEQUENCE ("using ...") follows.  DETAIL, if not
   NULL, says what is wrong with VALUE.  */
extern void gomp_amp_option_error (const char *name, const char *value,
				   const char *detail,
				   const char *consequence);

/* Report that VALUE is not acceptable for the environment variable NAME, which
   is not in options.def: EXPECTED says what would be.  */
extern void gomp_amp_value_error (const char *name, const char *value,
				  const char *detail, const char *expected,
				  const char *consequence);

#pragma GCC visibility pop

#endif /* GOMP_AMP_OPTIONS_H */
