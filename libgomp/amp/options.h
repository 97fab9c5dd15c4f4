/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The fork's options as read from the environment (options.def).  */

#ifndef GOMP_AMP_OPTIONS_H
#define GOMP_AMP_OPTIONS_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* Classes are numbered 0..GOMP_AMP_MAX_CLASSES - 1.  Chips have two to five;
   64 bounds what a hostile list can make us allocate.  */
#define GOMP_AMP_MAX_CLASSES 64

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

enum gomp_amp_task_tail
{
  GOMP_AMP_TAIL_ALL,
  GOMP_AMP_TAIL_BIG		/* Only threads of the fastest class.  */
};

/* One parsed value of OMP_SCHEDULE or GOMP_AMP_SCHEDULE.  */
struct gomp_amp_schedule
{
  int kind;			/* GFS_*, without GFS_MONOTONIC.  */
  int chunk;			/* 1..INT_MAX; 0 = not given.  */
  int arg;			/* Second argument; 0 = not given.  */
  bool monotonic;		/* "monotonic:" was written.  */
  bool nonmonotonic;		/* "nonmonotonic:" was written.  */
};

/* Not for the library: code of programs reads it (gcc-patch/guard).  */
enum gomp_amp_notice
{
  GOMP_AMP_NOTICE_ON,
  GOMP_AMP_NOTICE_OFF
};

/* A parsed class:SF list.  */
struct gomp_amp_sf_list
{
  unsigned count;		/* Highest class given + 1; 0 = unset.  */
  double sf[GOMP_AMP_MAX_CLASSES]; /* 0 = not given.  */
  const char *text;		/* As the user wrote it, for display.  */
};

/* A parsed list of classes.  */
struct gomp_amp_class_list
{
  unsigned count;		/* Length; 0 = unset.  */
  unsigned classes;		/* Highest class in it + 1.  */
  unsigned char *member;	/* The class of thread i modulo COUNT.  */
  const char *text;		/* As the user wrote it, for display.  */
};

#define GOMP_AMP_TYPE_NUMBER unsigned long
#define GOMP_AMP_TYPE_KEYWORD int
#define GOMP_AMP_TYPE_TEXT const char *
#define GOMP_AMP_TYPE_FILE const char *
#define GOMP_AMP_TYPE_SCHEDULE struct gomp_amp_schedule
#define GOMP_AMP_TYPE_SF_LIST struct gomp_amp_sf_list
#define GOMP_AMP_TYPE_CLASS_LIST struct gomp_amp_class_list

/* One field per row of options.def.  A TEXT or FILE field is NULL when unset,
   and a SCHEDULE field's kind is 0.  */
struct gomp_amp_options
{
#define GOMP_AMP_OPTION(field, name, type, def, min, max, accepted, help) \
  GOMP_AMP_TYPE_##type field;
#include "options.def"
};

extern struct gomp_amp_options gomp_amp_options;

/* Fill gomp_amp_options from the environment; touches no file.  A bad value
   is reported once and leaves the option as if unset.  To be called once,
   before any other function of the fork.  In a set-user-ID program our
   variables are ignored.  */
extern void gomp_amp_init_options (void);

/* Report each variable of the environment that begins with GOMP_AMP_,
   GOMP_AID_ or GOMP_TASK_ and is none of ours nor of the lab's library.  To be
   called once.  In a set-user-ID program nothing is reported.  */
extern void gomp_amp_report_unknown_options (void);

/* The name of the KEYWORD option FIELD's VALUE.  */
extern const char *gomp_amp_keyword_name (const char *field, int value);

/* Read class:SF,... with SF in MIN..MAX and each class at most once at *CURSOR
   into SF, which has GOMP_AMP_MAX_CLASSES elements and gets 0 where none is
   given, and move the cursor.  Returns the highest class + 1, or 0 and leaves
   the cursor alone if the list is malformed.  */
extern unsigned gomp_amp_read_sf_list (const char **cursor, double min,
				       double max, double *sf);

/* Report once that VALUE is not acceptable for the environment variable NAME,
   one of options.def, and that CONSEQUENCE ("using ...") follows.  DETAIL, if
   not NULL, says what is wrong with it.  */
extern void gomp_amp_option_error (const char *name, const char *value,
				   const char *detail,
				   const char *consequence);

/* The same for a variable that is not in options.def; ACCEPTED says what
   would have been right.  */
extern void gomp_amp_value_error (const char *name, const char *value,
				  const char *detail, const char *accepted,
				  const char *consequence);

#pragma GCC visibility pop

#endif /* GOMP_AMP_OPTIONS_H */
