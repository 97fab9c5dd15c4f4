/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The types of options: the table of types, and the C types of fields.  */

#ifndef GOMP_AMP_OPTION_TYPES_H
#define GOMP_AMP_OPTION_TYPES_H 1

#include <stdbool.h>

/* Classes are numbered 0..GOMP_AMP_MAX_CLASSES - 1.  Chips have two to five;
   64 bounds what a hostile list can make us allocate.  */
#define GOMP_AMP_MAX_CLASSES 64

/* What auto stands for where a number is expected.  */
#define GOMP_AMP_AUTO (~0UL)

/* One parsed value of OMP_SCHEDULE or GOMP_AMP_SCHEDULE.  */
struct gomp_amp_schedule
{
  int kind;			/* GFS_*, without GFS_MONOTONIC.  */
  int chunk;			/* 1..INT_MAX; 0 = not given.  */
  int arg;			/* Second argument; 0 = not given.  */
  bool monotonic;		/* "monotonic:" was written.  */
  bool nonmonotonic;		/* "nonmonotonic:" was written.  */
};

/* A parsed class:SF list.  SF is a speedup factor: how many times faster than
   class 0 a core of the class runs a loop.  */
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

/* The table of types: ROW (TYPE, C_TYPE, EXPECTED) for each TYPE that a row of
   options.def can have.

   C_TYPE is the type of the option's field.  EXPECTED (option) is the text of
   a message that says what is expected of a value; the macro
   GOMP_AMP_EXPECTED_OF_ROW takes it from the option's row.

   For each row option-types.c has two functions:

     parse_TYPE (option, value, result)	VALUE, which is not empty and starts
					with no blank, into *RESULT; false,
					with *RESULT unchanged, if it is bad
     show_TYPE (option, stream, field)	*FIELD as the user may write it;
					nothing if the option is unset

   Messages, OMP_DISPLAY_ENV, amp-info, the documentation and the manual page
   show values and defaults by show_TYPE.  */
#define GOMP_AMP_OPTION_TYPES(row) \
  /* A number in MIN..MAX.  */ \
  row (NUMBER, unsigned long, GOMP_AMP_EXPECTED_OF_ROW) \
  /* A number in MIN..MAX, or auto, which is GOMP_AMP_AUTO.  */ \
  row (NUMBER_OR_AUTO, unsigned long, GOMP_AMP_EXPECTED_OF_ROW) \
  /* One of the GOMP_AMP_KEYWORD rows of FIELD; case does not matter.  */ \
  row (KEYWORD, int, GOMP_AMP_EXPECTED_OF_ROW) \
  /* A string that is not empty.  NULL = unset.  */ \
  row (TEXT, const char *, GOMP_AMP_EXPECTED_OF_ROW) \
  /* The name of a file, which becomes an absolute one.  NULL = unset.  */ \
  row (FILE, const char *, GOMP_AMP_EXPECTED_OF_ROW) \
  /* class:SF,... with classes below GOMP_AMP_MAX_CLASSES and each SF in \
     MIN..MAX.  */ \
  row (SF_LIST, struct gomp_amp_sf_list, GOMP_AMP_EXPECTED_OF_ROW) \
  /* class,... with classes below GOMP_AMP_MAX_CLASSES.  */ \
  row (CLASS_LIST, struct gomp_amp_class_list, GOMP_AMP_EXPECTED_OF_ROW) \
  /* A value of OMP_SCHEDULE.  A message lists them all.  Kind 0 = unset.  */ \
  row (SCHEDULE, struct gomp_amp_schedule, gomp_amp_expected_schedules)

#define GOMP_AMP_EXPECTED_OF_ROW(option) ((option)->expected)

#define GOMP_AMP_OPTION_TYPE(type, c_type, expected) \
  typedef c_type gomp_amp_type_##type;
GOMP_AMP_OPTION_TYPES (GOMP_AMP_OPTION_TYPE)
#undef GOMP_AMP_OPTION_TYPE

enum gomp_amp_option_type
{
#define GOMP_AMP_OPTION_TYPE(type, c_type, expected) GOMP_AMP_TYPE_##type,
  GOMP_AMP_OPTION_TYPES (GOMP_AMP_OPTION_TYPE)
#undef GOMP_AMP_OPTION_TYPE
};

#endif /* GOMP_AMP_OPTION_TYPES_H */
