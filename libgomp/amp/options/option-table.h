/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The rows of options.def at run time, and what can be done with each.  */

#ifndef GOMP_AMP_OPTION_TABLE_H
#define GOMP_AMP_OPTION_TABLE_H 1

#include "options/options.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#pragma GCC visibility push(hidden)

/* A row of options.def.  */
struct gomp_amp_option
{
  const char *name;		/* Of the environment variable.  */
  const char *field;		/* In struct gomp_amp_options.  */
  enum gomp_amp_option_type type;
  unsigned long min, max;
  const char *expected;
  void *value;			/* Where in gomp_amp_options.  */
};

/* The rows of options.def, in their order.  */
extern const struct gomp_amp_option gomp_amp_option_table[];
extern const unsigned gomp_amp_option_count;

/* The row of the environment variable NAME; NULL if there is none.  */
extern const struct gomp_amp_option *gomp_amp_find_option (const char *name);

/* Store the value of the keyword of FIELD that the LENGTH characters at WORD
   name.  Return false and store nothing if they name none.  */
extern bool gomp_amp_find_keyword (const char *field, const char *word,
				   size_t length, int *value);

/* The name of the KEYWORD option FIELD's VALUE.  */
extern const char *gomp_amp_keyword_name (const char *field, int value);

/* Parse VALUE, which may have blanks around it, and store it as OPTION's.
   Return false and store nothing if it is not what is expected.  */
extern bool gomp_amp_parse_option (const struct gomp_amp_option *option,
				   const char *value);

/* Print OPTION's value to STREAM as the user may write it; nothing if it is
   unset.  */
extern void gomp_amp_show_option (const struct gomp_amp_option *option,
				  FILE *stream);

/* What a message says that OPTION expects.  The text may be overwritten by the
   next call.  */
extern const char *gomp_amp_expected (const struct gomp_amp_option *option);

#pragma GCC visibility pop

#endif /* GOMP_AMP_OPTION_TABLE_H */
