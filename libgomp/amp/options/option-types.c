/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Parses and shows the values of options, a pair of functions for each row of
   the table of types (option-types.h).  */

#define _GNU_SOURCE 1
#include "base/parse.h"
#include "options/option-table.h"
#include "options/schedules.h"
#include "options/sf-list.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UNUSED __attribute__ ((unused))

static bool
parse_NUMBER (const struct gomp_amp_option *option, const char *value,
	      unsigned long *result)
{
  unsigned long number;

  if (!gomp_amp_read_number (&value, option->max, &number)
      || number < option->min || !gomp_amp_at_end (value))
    return false;
  *result = number;
  return true;
}

static void
show_NUMBER (const struct gomp_amp_option *option UNUSED, FILE *stream,
	     const unsigned long *number)
{
  fprintf (stream, "%lu", *number);
}

static bool
parse_NUMBER_OR_AUTO (const struct gomp_amp_option *option, const char *value,
		      unsigned long *result)
{
  const char *rest = value, *word;
  size_t length;

  if (gomp_amp_read_word (&rest, &word, &length)
      && gomp_amp_word_is (word, length, "auto") && gomp_amp_at_end (rest))
    {
      *result = GOMP_AMP_AUTO;
      return true;
    }
  return parse_NUMBER (option, value, result);
}

static void
show_NUMBER_OR_AUTO (const struct gomp_amp_option *option, FILE *stream,
		     const unsigned long *number)
{
  if (*number == GOMP_AMP_AUTO)
    fputs ("auto", stream);
  else
    show_NUMBER (option, stream, number);
}

static bool
parse_KEYWORD (const struct gomp_amp_option *option, const char *value,
	       int *result)
{
  const char *word;
  size_t length;

  return gomp_amp_read_word (&value, &word, &length)
	 && gomp_amp_at_end (value)
	 && gomp_amp_find_keyword (option->field, word, length, result);
}

static void
show_KEYWORD (const struct gomp_amp_option *option, FILE *stream,
	      const int *value)
{
  fputs (gomp_amp_keyword_name (option->field, *value), stream);
}

/* A copy of VALUE without the blanks at its end.  The environment's own string
   does not serve: the program may change it.  NULL if memory is short.  */

static char *
copy_text (const char *value)
{
  size_t length = strlen (value);

  while (length > 0 && gomp_amp_blank_p (value[length - 1]))
    --length;
  return strndup (value, length);
}

static bool
parse_TEXT (const struct gomp_amp_option *option UNUSED, const char *value,
	    const char **result)
{
  *result = copy_text (value);
  return true;
}

/* A character that does not print becomes '?', so that a line stays a
   line.  */

static void
show_TEXT (const struct gomp_amp_option *option UNUSED, FILE *stream,
	   const char *const *text)
{
  if (*text != NULL)
    for (const char *p = *text; *p != '\0'; p++)
      fputc (*p >= ' ' && *p <= '~' ? *p : '?', stream);
}

/* The name is made absolute, so that a program that changes its directory
   still reads and writes the file that its user named.  */

static bool
parse_FILE (const struct gomp_amp_option *option UNUSED, const char *value,
	    const char **result)
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

static void
show_FILE (const struct gomp_amp_option *option, FILE *stream,
	   const char *const *name)
{
  show_TEXT (option, stream, name);
}

static bool
parse_SF_LIST (const struct gomp_amp_option *option, const char *value,
	       struct gomp_amp_sf_list *result)
{
  struct gomp_amp_sf_list list;
  const char *p = value;

  int count = gomp_amp_read_sf_list (&p, option->min, option->max, list.sf);

  if (count <= 0 || !gomp_amp_at_end (p))
    return false;
  list.count = count;
  if (list.sf[0] == 0)
    list.sf[0] = 1;
  list.text = copy_text (value);
  *result = list;
  return true;
}

static void
show_SF_LIST (const struct gomp_amp_option *option, FILE *stream,
	      const struct gomp_amp_sf_list *list)
{
  show_TEXT (option, stream, &list->text);
}

static bool
parse_CLASS_LIST (const struct gomp_amp_option *option UNUSED,
		  const char *value, struct gomp_amp_class_list *result)
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

static void
show_CLASS_LIST (const struct gomp_amp_option *option, FILE *stream,
		 const struct gomp_amp_class_list *list)
{
  show_TEXT (option, stream, &list->text);
}

static bool
parse_SCHEDULE (const struct gomp_amp_option *option UNUSED, const char *value,
		struct gomp_amp_schedule *result)
{
  if (!gomp_amp_parse_routed_schedule (value, result))
    return false;
  if (result->kind & GOMP_AMP_SCHEDULE_ROUTED)
    gomp_amp_schedule_arg[GOMP_AMP_SCHEDULE_INDEX (result->kind)] = result->arg;
  return true;
}

static void
show_SCHEDULE (const struct gomp_amp_option *option UNUSED, FILE *stream,
	       const struct gomp_amp_schedule *schedule)
{
  if (schedule->kind != 0)
    gomp_amp_display_routed_schedule (stream, schedule);
}

#define gomp_amp_expected_schedules(option) gomp_amp_schedules_accepted ()

bool
gomp_amp_parse_option (const struct gomp_amp_option *option, const char *value)
{
  gomp_amp_skip_blanks (&value);
  if (*value == '\0')
    return false;
  switch (option->type)
    {
#define PARSE(type, c_type, expected) \
    case GOMP_AMP_TYPE_##type: \
      return parse_##type (option, value, (c_type *) option->value);
    GOMP_AMP_OPTION_TYPES (PARSE)
    }
  return false;
}

void
gomp_amp_show_option (const struct gomp_amp_option *option, FILE *stream)
{
  switch (option->type)
    {
#define SHOW(type, c_type, expected) \
    case GOMP_AMP_TYPE_##type: \
      show_##type (option, stream, (c_type *) option->value); \
      break;
    GOMP_AMP_OPTION_TYPES (SHOW)
    }
}

const char *
gomp_amp_expected (const struct gomp_amp_option *option)
{
  switch (option->type)
    {
#define EXPECTED(type, c_type, expected) \
    case GOMP_AMP_TYPE_##type: \
      return expected (option);
    GOMP_AMP_OPTION_TYPES (EXPECTED)
    }
  return option->expected;
}
