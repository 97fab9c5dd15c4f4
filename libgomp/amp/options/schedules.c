/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Parses and prints the fork's loop schedules (schedules.def).  */

#include "base/parse.h"
#include "options/schedules.h"
#include <limits.h>
#include <stddef.h>

static const struct schedule
{
  const char *name;
  int kind;
  bool has_arg;
  int arg_min;			/* 0: at least the chunk.  */
  int arg_max;
  int arg_default;
} schedule_table[] = {
#define GOMP_AMP_SCHEDULE(ident, name, kind, chunk, arg, arg_min, arg_max, \
			  arg_default, ...) \
  { name, kind, sizeof (arg) > 1, arg_min, arg_max, arg_default },
#include "options/schedules.def"
};

#define N_SCHEDULES (sizeof (schedule_table) / sizeof (schedule_table)[0])

_Static_assert (N_SCHEDULES == GOMP_AMP_SCHEDULES - 1,
		"the rows of schedules.def must be numbered from 1 on");

const unsigned char gomp_amp_traits[GOMP_AMP_SCHEDULES] = {
#define GOMP_AMP_SCHEDULE(ident, name, kind, chunk, arg, arg_min, arg_max, \
			  arg_default, traits, ...) \
  [(kind) & 0xff] = traits,
#include "options/schedules.def"
};

/* The schedules that upstream's parser knows.  */

#define KIND(ident, name, kind) ident = kind,
enum { GOMP_AMP_OPENMP_SCHEDULES (KIND) };

#define ROW(ident, name, kind) { name, kind, false, 0, 0, 0 },
static const struct schedule openmp_table[] = {
  GOMP_AMP_OPENMP_SCHEDULES (ROW)
};

#define N_OPENMP (sizeof (openmp_table) / sizeof (openmp_table)[0])

int gomp_amp_schedule_arg[2 * GOMP_AMP_SCHEDULES];

/* The row of KIND, which has no GFS_MONOTONIC; NULL if it is not ours.  */

static const struct schedule *
find_kind (int kind)
{
  kind &= ~GOMP_AMP_SCHEDULE_CHOOSER;
  for (size_t i = 0; i < N_SCHEDULES; i++)
    if (schedule_table[i].kind == kind)
      return &schedule_table[i];
  return NULL;
}

/* Read "monotonic:" or "nonmonotonic:", if *CURSOR is at one.  */

static void
read_modifier (const char **cursor, struct gomp_amp_schedule *schedule)
{
  const char *p = *cursor, *word;
  size_t length;
  bool monotonic, nonmonotonic;

  if (!gomp_amp_read_word (&p, &word, &length))
    return;
  monotonic = gomp_amp_word_is (word, length, "monotonic");
  nonmonotonic = gomp_amp_word_is (word, length, "nonmonotonic");
  if (!(monotonic || nonmonotonic) || !gomp_amp_read_char (&p, ':'))
    return;
  schedule->monotonic = monotonic;
  schedule->nonmonotonic = nonmonotonic;
  *cursor = p;
}

/* The row of TABLE, which has N rows, with the name of LENGTH characters at
   WORD; NULL if there is none.  */

static const struct schedule *
find_name (const struct schedule *table, size_t n, const char *word,
	   size_t length)
{
  for (size_t i = 0; i < n; i++)
    if (gomp_amp_word_is (word, length, table[i].name))
      return &table[i];
  return NULL;
}

/* Read the schedule at P up to the name of its kind.  Store its modifier and
   its kind in *SCHEDULE.  Returns the kind's row of openmp_table or
   schedule_table, and points *REST to what follows the name; NULL if there is
   no name of a kind.  */

static const struct schedule *
read_kind (const char *p, struct gomp_amp_schedule *schedule,
	   const char **rest)
{
  const struct schedule *row;
  const char *word;
  size_t length;

  gomp_amp_skip_blanks (&p);
  read_modifier (&p, schedule);
  if (!gomp_amp_read_word (&p, &word, &length))
    return NULL;
  row = find_name (openmp_table, N_OPENMP, word, length);
  if (row == NULL)
    row = find_name (schedule_table, N_SCHEDULES, word, length);
  if (row != NULL)
    schedule->kind = row->kind;
  *rest = p;
  return row;
}

/* Whether ROW is one of OpenMP's own schedules.  */

static bool
openmp_p (const struct schedule *row)
{
  return row->kind <= AUTO;
}

enum gomp_amp_parse
gomp_amp_parse_schedule (const char *value, struct gomp_amp_schedule *out)
{
  struct gomp_amp_schedule schedule = { 0 };
  const char *p;
  const struct schedule *row = read_kind (value, &schedule, &p);

  if (row == NULL)
    return GOMP_AMP_PARSE_BAD;
  if (openmp_p (row))
    return GOMP_AMP_PARSE_OTHER;

  if (gomp_amp_read_char (&p, ','))
    {
      unsigned long number;
      /* Only M depends on the chunk; name,,ARG is allowed for the others.  */
      bool lone = row->arg_min != 0 && gomp_amp_read_char (&p, ',');

      if (!lone)
	{
	  if (!gomp_amp_read_number (&p, INT_MAX, &number) || number == 0)
	    return GOMP_AMP_PARSE_BAD;
	  schedule.chunk = number;
	}
      if (lone || gomp_amp_read_char (&p, ','))
	{
	  unsigned long min = row->arg_min ? row->arg_min : schedule.chunk;

	  if (!row->has_arg
	      || !gomp_amp_read_number (&p, row->arg_max, &number)
	      || number < min)
	    return GOMP_AMP_PARSE_BAD;
	  schedule.arg = number;
	}
    }
  if (!gomp_amp_at_end (p))
    return GOMP_AMP_PARSE_BAD;
  *out = schedule;
  return GOMP_AMP_PARSE_OK;
}

bool
gomp_amp_parse_routed_schedule (const char *value,
				struct gomp_amp_schedule *out)
{
  struct gomp_amp_schedule schedule = { 0 };
  const char *p;
  const struct schedule *row = read_kind (value, &schedule, &p);
  unsigned long chunk = 0;

  if (row == NULL)
    return false;
  if (!openmp_p (row))
    {
      if (gomp_amp_parse_schedule (value, &schedule) != GOMP_AMP_PARSE_OK)
	return false;
      schedule.kind |= GOMP_AMP_SCHEDULE_ROUTED;
      *out = schedule;
      return true;
    }

  if (gomp_amp_read_char (&p, ',')
      && !gomp_amp_read_number (&p, INT_MAX, &chunk))
    return false;
  if (!gomp_amp_at_end (p))
    return false;
  /* As upstream: the default chunk of dynamic and guided is 1, and a chunk of
     auto has no meaning.  */
  if (row->kind == AUTO)
    chunk = 0;
  else if (row->kind != STATIC && chunk == 0)
    chunk = 1;
  schedule.chunk = chunk;
  *out = schedule;
  return true;
}

/* The second argument in force for ROW with CHUNK.  GIVEN is the one that was
   given, or 0.  */

static int
effective_arg (const struct schedule *row, int chunk, int given)
{
  if (!row->has_arg)
    return 0;
  if (given != 0 && (row->arg_min != 0 || given >= chunk))
    return given;
  if (row->arg_min == 0 && chunk > row->arg_default)
    return chunk > row->arg_max / row->arg_default ? row->arg_max
						   : chunk * row->arg_default;
  return row->arg_default;
}

int
gomp_amp_schedule_effective_arg (int kind, int chunk)
{
  const struct schedule *row = find_kind (kind);

  if (row == NULL)
    return 0;
  return effective_arg (row, chunk,
			gomp_amp_schedule_arg[GOMP_AMP_SCHEDULE_INDEX (kind)]);
}

static void
show_name (FILE *stream, const struct schedule *row)
{
  for (const char *p = row->name; *p != '\0'; p++)
    fputc (*p >= 'a' && *p <= 'z' ? *p - 'a' + 'A' : *p, stream);
}

void
gomp_amp_display_given (FILE *stream, int kind, int chunk, int given)
{
  const struct schedule *row = find_kind (kind);

  if (row == NULL)
    return;
  show_name (stream, row);
  if (given != effective_arg (row, chunk, given)
      || (chunk <= 0 && row->arg_min == 0))
    given = 0;
  if (chunk > 0)
    fprintf (stream, ",%d", chunk);
  else if (given != 0)
    fputc (',', stream);
  if (given != 0)
    fprintf (stream, ",%d", given);
}

void
gomp_amp_display_schedule (FILE *stream, int kind, int chunk)
{
  if (find_kind (kind) != NULL)
    gomp_amp_display_given (stream, kind, chunk,
			    gomp_amp_schedule_arg[GOMP_AMP_SCHEDULE_INDEX
						  (kind)]);
}

void
gomp_amp_display_routed_schedule (FILE *stream,
				  const struct gomp_amp_schedule *schedule)
{
  /* Static is monotonic by default, all others are not.  */
  if (schedule->monotonic && schedule->kind != STATIC)
    fputs ("MONOTONIC:", stream);
  else if (schedule->nonmonotonic && schedule->kind == STATIC)
    fputs ("NONMONOTONIC:", stream);
  for (size_t i = 0; i < N_OPENMP; i++)
    if (openmp_table[i].kind == schedule->kind)
      {
	show_name (stream, &openmp_table[i]);
	if (schedule->kind != AUTO
	    && schedule->chunk > (schedule->kind == STATIC ? 0 : 1))
	  fprintf (stream, ",%d", schedule->chunk);
      }
  gomp_amp_display_schedule (stream, schedule->kind, schedule->chunk);
}

int
gomp_amp_set_schedule (int kind, int *chunk)
{
  if (find_kind (kind & INT_MAX) == NULL)
    return 0;
  if (*chunk < 1)
    *chunk = 0;
  return 1;
}

const char *
gomp_amp_schedules_accepted (void)
{
  static char text[512];
  FILE *stream = fmemopen (text, sizeof text, "w");

  if (stream == NULL)
    return "a schedule of OpenMP or of this library";
#define GOMP_AMP_SCHEDULE(ident, name, kind, chunk, arg, arg_min, arg_max, \
			  ...) \
  if (sizeof (arg) == 1) \
    fprintf (stream, "%s[,%s], ", name, chunk); \
  else if (arg_min != 0) \
    fprintf (stream, "%s[,[%s][,%s]] (%s %d..%d), ", name, chunk, arg, arg, \
	     arg_min, arg_max); \
  else \
    fprintf (stream, "%s[,%s[,%s]] (%s at least %s), ", name, chunk, arg, arg, \
	     chunk);
#include "options/schedules.def"
  fprintf (stream, "each number 1..%d, or a schedule of OpenMP", INT_MAX);
  fclose (stream);
  return text;
}
