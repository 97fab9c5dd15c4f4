/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the benchmark programs share: a clock, options, and the result line.  */

#define _GNU_SOURCE 1
#include "bench.h"

#include <dlfcn.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
  /* Room for the options of one program and for --help.  */
  OPTIONS_MAX = 16,
  HELP = OPTIONS_MAX
};

double
bench_now (void)
{
  return omp_get_wtime ();
}

static int
compare_doubles (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;
  return (x > y) - (x < y);
}

double
bench_median (double *x, size_t count)
{
  qsort (x, count, sizeof *x, compare_doubles);
  return (x[(count - 1) / 2] + x[count / 2]) / 2;
}

void
bench_refuse (const char *format, ...)
{
  va_list arguments;
  va_start (arguments, format);
  fprintf (stderr, "%s: ", program_invocation_name);
  vfprintf (stderr, format, arguments);
  fprintf (stderr, "; nothing was run\n");
  va_end (arguments);
  exit (2);
}

void *
bench_allocate (size_t count, size_t size)
{
  void *p = calloc (count, size);
  if (p == NULL && count > 0 && size > 0)
    bench_refuse ("not enough memory for %zu times %zu bytes", count, size);
  return p;
}

const char *const bench_ways[] = { "tasks", "loops", NULL };

struct bench_tally *
bench_tallies (void)
{
  size_t size = omp_get_max_threads () * sizeof (struct bench_tally);
  struct bench_tally *tallies = aligned_alloc (sizeof *tallies, size);
  if (tallies == NULL)
    bench_refuse ("not enough memory for %zu bytes", size);
  return memset (tallies, 0, size);
}

long
bench_sum (const struct bench_tally *tallies)
{
  long sum = 0;
  for (int t = 0; t < omp_get_max_threads (); t++)
    sum += tallies[t].count;
  return sum;
}

static void
print_help (const char *program, const char *summary, const struct bench_option *options)
{
  printf ("Usage: %s [--OPTION=VALUE]...\n%s\n\n", program, summary);
  for (const struct bench_option *o = options; o->name != NULL; o++)
    if (o->words != NULL)
      {
	printf ("  --%-12s %s (", o->name, o->help);
	for (const char *const *word = o->words; *word != NULL; word++)
	  printf ("%s, ", *word);
	printf ("default %s)\n", o->words[*o->value]);
      }
    else
      printf ("  --%-12s %s (%ld to %ld, default %ld)\n", o->name, o->help, o->least, o->most,
	      *o->value);
}

/* Store the index of TEXT among OPTION's words, if it is one of them.  */
static void
set_word (const char *program, const struct bench_option *option, const char *text)
{
  for (long i = 0; option->words[i] != NULL; i++)
    if (strcmp (option->words[i], text) == 0)
      {
	*option->value = i;
	return;
      }
  fprintf (stderr, "%s: --%s=%s: must be one of", program, option->name, text);
  for (const char *const *word = option->words; *word != NULL; word++)
    fprintf (stderr, " %s", *word);
  fprintf (stderr, "; nothing was run\n");
  exit (2);
}

/* Store TEXT in OPTION's value if it is a whole number that the option accepts.  */
static void
set_value (const struct bench_option *option, const char *text)
{
  char *end;
  errno = 0;
  long value = strtol (text, &end, 10);
  if (errno != 0 || end == text || *end != '\0' || value < option->least || value > option->most)
    bench_refuse ("--%s=%s: must be a whole number from %ld to %ld", option->name, text,
		  option->least, option->most);
  *option->value = value;
}

void
bench_read_options (int argc, char **argv, const char *summary,
		    const struct bench_option *options)
{
  struct option table[OPTIONS_MAX + 2] = { 0 };
  int count = 0;
  for (; options[count].name != NULL; count++)
    {
      if (count == OPTIONS_MAX)
	abort ();
      table[count]
	= (struct option){ .name = options[count].name,
			   .has_arg = required_argument,
			   .val = count };
    }
  table[count] = (struct option){ .name = "help", .has_arg = no_argument, .val = HELP };

  int found;
  while ((found = getopt_long (argc, argv, "", table, NULL)) != -1)
    if (found == HELP)
      {
	print_help (argv[0], summary, options);
	exit (0);
      }
    else if (found < 0 || found >= count)
      exit (2);
    else if (options[found].words != NULL)
      set_word (argv[0], &options[found], optarg);
    else
      set_value (&options[found], optarg);
  if (optind < argc)
    bench_refuse ("%s: takes no such argument, see --help", argv[optind]);
}

static double started, seconds_timed;
static int all_right = 1;

void
bench_start (void)
{
  started = bench_now ();
}

double
bench_stop (void)
{
  return seconds_timed += bench_now () - started;
}

int
bench_verify (int right)
{
  return all_right = all_right && right;
}

int
bench_result (const char *extra)
{
  return bench_print_result (seconds_timed, all_right, extra);
}

int
bench_print_result (double seconds, int verified, const char *extra)
{
  /* The address of a function as the program sees it may be that of its own PLT entry, which tells
     nothing of the library; the one that dlsym finds is the library's.  */
  void *function = dlsym (RTLD_DEFAULT, "omp_get_max_threads");
  int (*version) (void) = (int (*) (void)) dlsym (RTLD_DEFAULT, "ompx_amp_version");
  Dl_info info;
  char path[PATH_MAX];
  if (function == NULL || dladdr (function, &info) == 0 || realpath (info.dli_fname, path) == NULL)
    snprintf (path, sizeof path, "unknown");

  printf ("result: seconds=%.9f verified=%d threads=%d amp=%d %s%sruntime=%s\n", seconds,
	  verified != 0, omp_get_max_threads (), version != NULL ? version () : 0,
	  extra != NULL ? extra : "", extra != NULL ? " " : "", path);
  return verified ? 0 : 1;
}
