/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Reads the fork's options from the environment.  */

#define _GNU_SOURCE 1
#include "options.h"
#include "message.h"
#include "parse.h"
#include "schedules.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INITIAL_NUMBER(def) (def)
#define INITIAL_KEYWORD(def) (def)
#define INITIAL_TEXT(def) NULL
#define INITIAL_FILE(def) NULL
#define INITIAL_SCHEDULE(def) { 0 }
#define INITIAL_SF_LIST(def) { 0 }
#define INITIAL_CLASS_LIST(def) { 0 }

struct gomp_amp_options gomp_amp_options = {
#define GOMP_AMP_OPTION(field, name, type, def, min, max, accepted, help) \
  .field = INITIAL_##type (def),
#include "options.def"
};

_Static_assert (GOMP_AMP_MAX_CLASSES == 64, "options.def says 0..63");

/* What is left of the table at run time, for messages and keywords.  */

static const struct option
{
  const char *name;
  const char *accepted;
} option_table[] = {
#define GOMP_AMP_OPTION(field, name, type, def, min, max, accepted, help) \
  { name, accepted },
#include "options.def"
};

static const struct keyword
{
  const char *option;
  const char *name;
  int value;
} keyword_table[] = {
#define GOMP_AMP_KEYWORD(field, name, ident) { #field, name, GOMP_AMP_##ident },
#include "options.def"
};

#define N_ELEMENTS(array) (sizeof (array) / sizeof (array)[0])

void
gomp_amp_value_error (const char *name, const char *value, const char *detail,
		      const char *accepted, const char *consequence)
{
  char shown[65];

  gomp_amp_printable (shown, sizeof shown, value);
  gomp_error ("Invalid value '%s' for environment variable %s: %s%s"
	      "accepted is %s; %s",
	      shown, name, detail ? detail : "", detail ? "; " : "", accepted,
	      consequence);
}

void
gomp_amp_option_error (const char *name, const char *value, const char *detail,
		       const char *consequence)
{
  for (size_t i = 0; i < N_ELEMENTS (option_table); i++)
    if (strcmp (option_table[i].name, name) == 0)
      gomp_amp_value_error (name, value, detail, option_table[i].accepted,
			    consequence);
}

const char *
gomp_amp_keyword_name (const char *field, int value)
{
  for (size_t i = 0; i < N_ELEMENTS (keyword_table); i++)
    if (strcmp (keyword_table[i].option, field) == 0
	&& keyword_table[i].value == value)
      return keyword_table[i].name;
  return "";
}

/* Each parse_TYPE parses VALUE, which begins with no blank and is not empty,
   into *RESULT, or returns false and leaves *RESULT as it was.  FIELD is the
   option's field.  */

static bool
parse_NUMBER (const char *value, const char *field __attribute__ ((unused)),
	      unsigned long min, unsigned long max, unsigned long *result)
{
  unsigned long number;

  if (!gomp_amp_read_number (&value, max, &number) || number < min
      || !gomp_amp_at_end (value))
    return false;
  *result = number;
  return true;
}

static bool
parse_KEYWORD (const char *value, const char *field,
	       unsigned long min __attribute__ ((unused)),
	       unsigned long max __attribute__ ((unused)), int *result)
{
  const char *word;
  size_t length;

  if (!gomp_amp_read_word (&value, &word, &length)
      || !gomp_amp_at_end (value))
    return false;
  for (size_t i = 0; i < N_ELEMENTS (keyword_table); i++)
    if (strcmp (keyword_table[i].option, field) == 0
	&& gomp_amp_word_is (word, length, keyword_table[i].name))
      {
	*result = keyword_table[i].value;
	return true;
      }
  return false;
}

/* A copy of VALUE without the blanks at its end.  The environment's own
   string will not do: the program may change it.  NULL if memory is short.  */

static char *
copy_text (const char *value)
{
  size_t length = strlen (value);

  while (length > 0 && gomp_amp_blank_p (value[length - 1]))
    --length;
  return strndup (value, length);
}

static bool
parse_TEXT (const char *value, const char *field __attribute__ ((unused)),
	    unsigned long min __attribute__ ((unused)),
	    unsigned long max __attribute__ ((unused)), const char **result)
{
  *result = copy_text (value);
  return true;
}

/* Absolute, so that a program that changes its directory still reads and
   writes what its user named.  */

static bool
parse_FILE (const char *value, const char *field __attribute__ ((unused)),
	    unsigned long min __attribute__ ((unused)),
	    unsigned long max __attribute__ ((unused)), const char **result)
{
  char *name = copy_text (value), *directory, *absolute;

  *result = name;
  if (name == NULL || *name == '/')
    return true;
  directory = getcwd (NULL, 0);
  if (directory != NULL && asprintf (&absolute, "%s/%s", directory, name) > 0)
    {
      free (name);
      *result = absolute;
    }
  free (directory);
  return true;
}

static bool
parse_SCHEDULE (const char *value, const char *field __attribute__ ((unused)),
		unsigned long min __attribute__ ((unused)),
		unsigned long max __attribute__ ((unused)),
		struct gomp_amp_schedule *result)
{
  if (!gomp_amp_parse_routed_schedule (value, result))
    return false;
  if (result->kind & GOMP_AMP_SCHEDULE_ROUTED)
    gomp_amp_schedule_arg[GOMP_AMP_SCHEDULE_INDEX (result->kind)] = result->arg;
  return true;
}

unsigned
gomp_amp_read_sf_list (const char **cursor, double min, double max, double *sf)
{
  const char *p = *cursor;
  unsigned count = 0;

  for (unsigned i = 0; i < GOMP_AMP_MAX_CLASSES; i++)
    sf[i] = 0;
  do
    {
      unsigned long class;
      double factor;

      if (!gomp_amp_read_number (&p, GOMP_AMP_MAX_CLASSES - 1, &class)
	  || !gomp_amp_read_char (&p, ':')
	  || !gomp_amp_read_decimal (&p, max, &factor) || factor < min
	  || sf[class] != 0)
	return 0;
      sf[class] = factor;
      if (class >= count)
	count = class + 1;
    }
  while (gomp_amp_read_char (&p, ','));
  *cursor = p;
  return count;
}

static bool
parse_SF_LIST (const char *value, const char *field __attribute__ ((unused)),
	       unsigned long min, unsigned long max,
	       struct gomp_amp_sf_list *result)
{
  struct gomp_amp_sf_list list;
  const char *p = value;

  list.count = gomp_amp_read_sf_list (&p, min, max, list.sf);
  if (list.count == 0 || !gomp_amp_at_end (p))
    return false;
  if (list.sf[0] == 0)
    list.sf[0] = 1;
  list.text = copy_text (value);
  *result = list;
  return true;
}

static bool
parse_CLASS_LIST (const char *value, const char *field __attribute__ ((unused)),
		  unsigned long min __attribute__ ((unused)),
		  unsigned long max __attribute__ ((unused)),
		  struct gomp_amp_class_list *result)
{
  struct gomp_amp_class_list list = { 0 };
  const char *p = value;

  /* No list has more members than characters.  */
  list.member = malloc (strlen (value));
  if (list.member == NULL)
    return false;
  do
    {
      unsigned long class;

      if (!gomp_amp_read_number (&p, GOMP_AMP_MAX_CLASSES - 1, &class))
	{
	  free (list.member);
	  return false;
	}
      list.member[list.count++] = class;
      if (class >= list.classes)
	list.classes = class + 1;
    }
  while (gomp_amp_read_char (&p, ','));
  if (!gomp_amp_at_end (p))
    {
      free (list.member);
      return false;
    }
  list.text = copy_text (value);
  *result = list;
  return true;
}

/* What a message says will happen: each consequence_TYPE gets the option's
   field and its default.  */

static const char *
consequence_NUMBER (const char *field __attribute__ ((unused)),
		    unsigned long def)
{
  static char text[sizeof "using " + 3 * sizeof (long)];

  snprintf (text, sizeof text, "using %lu", def);
  return text;
}

static const char *
consequence_KEYWORD (const char *field, unsigned long def)
{
  static char text[64];

  snprintf (text, sizeof text, "using %s", gomp_amp_keyword_name (field, def));
  return text;
}

static const char *
consequence_TEXT (const char *field __attribute__ ((unused)),
		  unsigned long def __attribute__ ((unused)))
{
  return "using none, as if unset";
}

#define consequence_FILE consequence_TEXT
#define consequence_SCHEDULE consequence_TEXT
#define consequence_SF_LIST consequence_TEXT
#define consequence_CLASS_LIST consequence_TEXT

/* What a message says is accepted, of an option's TYPE.  */

#define accepted_NUMBER(accepted) (accepted)
#define accepted_KEYWORD(accepted) (accepted)
#define accepted_TEXT(accepted) (accepted)
#define accepted_FILE(accepted) (accepted)
#define accepted_SF_LIST(accepted) (accepted)
#define accepted_CLASS_LIST(accepted) (accepted)
#define accepted_SCHEDULE(accepted) gomp_amp_schedules_accepted ()

void
gomp_amp_init_options (void)
{
  const char *value;

  /* secure_getenv, since some name files to read and to write and the others
     are nothing that a privileged program should let its caller choose.  */
#define GOMP_AMP_OPTION(field, name, type, def, min, max, accepted, help) \
  value = secure_getenv (name); \
  if (value != NULL) \
    { \
      const char *start = value; \
      gomp_amp_skip_blanks (&start); \
      if (*start == '\0' \
	  || !parse_##type (start, #field, min, max, &gomp_amp_options.field)) \
	gomp_amp_value_error (name, value, NULL, accepted_##type (accepted), \
			      consequence_##type (#field, def)); \
    }
#include "options.def"
  gomp_amp_report_unknown_options ();
}
