/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies a manual page from standard input to standard output, with the
   library's tables in the places of the comments that name them.  */

#include "../defaults.h"
#include <limits.h>
#include <string.h>

/* Prints TEXT so that roff takes no character of it for a request, and that
   '-' and '\'' stay what they are when a reader copies them.  */

static void
print_text (const char *text)
{
  fputs ("\\&", stdout);
  for (; *text; text++)
    switch (*text)
      {
      case '-': fputs ("\\-", stdout); break;
      case '\'': fputs ("\\(aq", stdout); break;
      case '\\': fputs ("\\e", stdout); break;
      default: putchar (*text);
      }
}

/* Prints LABEL and TEXT as a paragraph of an option's description.  */

static void
print_property (const char *label, const char *text)
{
  printf (".br\n%s: ", label);
  print_text (text);
  puts (".");
}

static void
print_option (const char *name, const char *expected, const char *value,
	      const char *help)
{
  printf (".TP\n.B %s\n", name);
  print_text (help);
  putchar ('\n');
  print_property ("Expected", expected);
  print_property ("Default", value ? value : "unset");
}

#define PRINT_OPTION(field, name, type, def, min, max, expected, help) \
  print_option (name, expected, option_default (name), help);

static void
print_options (void)
{
#define GOMP_AMP_OPTION PRINT_OPTION
#define GOMP_AMP_NO_TEST_OPTIONS 1
#include "options/options.def"
}

static void
print_lab_options (void)
{
#define GOMP_AMP_OPTION PRINT_OPTION
#include "virtual/options.def"
#undef GOMP_AMP_OPTION
}

static void
print_schedules (void)
{
#define GOMP_AMP_SCHEDULE(ident, name, kind, chunk, arg, arg_min, arg_max, \
			  arg_default, traits, alike, help) \
  printf (".TP\n\\fB%s\\fR[,\\fI%s\\fR%s%s%s]\n", name, chunk, \
	  sizeof (arg) > 1 ? "[,\\fI" : "", arg, \
	  sizeof (arg) > 1 ? "\\fR]" : ""); \
  print_text (help); \
  printf (".\n.br\n\\fI%s\\fR: 1..%d", chunk, INT_MAX); \
  if (sizeof (arg) > 1 && arg_min != 0) \
    printf ("; \\fI%s\\fR: %d..%d, default %d", arg, arg_min, arg_max, \
	    arg_default); \
  else if (sizeof (arg) > 1) \
    printf ("; \\fI%s\\fR: \\fI%s\\fR..%d, default %d," \
	    " or %d times a greater \\fI%s\\fR", arg, chunk, arg_max, \
	    arg_default, arg_default, chunk); \
  puts (".");
#include "options/schedules.def"
}

static const struct table
{
  const char *place;
  void (*print) (void);
} tables[] = {
  { ".\\\" options.def\n", print_options },
  { ".\\\" virtual/options.def\n", print_lab_options },
  { ".\\\" schedules.def\n", print_schedules },
};

int
main (void)
{
  char line[512];
  while (fgets (line, sizeof line, stdin))
    {
      const struct table *table = tables;
      const struct table *end = tables + sizeof tables / sizeof tables[0];
      while (table < end && strcmp (table->place, line) != 0)
	table++;
      if (table < end)
	table->print ();
      else
	fputs (line, stdout);
    }
  return 0;
}
