/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Reads the fork's options from the environment and reports bad values.  */

#define _GNU_SOURCE 1
#include "options/options.h"
#include "base/message.h"
#include "options/option-table.h"
#include "base/parse.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void
gomp_amp_value_error (const char *name, const char *value, const char *detail,
		      const char *expected, const char *consequence)
{
  char shown[65];

  gomp_amp_printable (shown, sizeof shown, value);
  gomp_error ("%s: '%s': %s%sexpected %s; %s", name, shown,
	      detail ? detail : "", detail ? "; " : "", expected, consequence);
}

void
gomp_amp_option_error (const char *name, const char *value, const char *detail,
		       const char *consequence)
{
  const struct gomp_amp_option *option = gomp_amp_find_option (name);

  gomp_amp_value_error (name, value, detail, gomp_amp_expected (option),
			consequence);
}

/* Report that VALUE is not what OPTION expects and that the value that it
   still has, its default, is used.  */

static void
report (const struct gomp_amp_option *option, const char *value)
{
  static const char using[] = "using ";
  char consequence[128] = "using the default";
  FILE *stream = fmemopen (consequence, sizeof consequence, "w");

  if (stream != NULL)
    {
      fputs (using, stream);
      gomp_amp_show_option (option, stream);
      fclose (stream);
    }
  gomp_amp_option_error (option->name, value, NULL,
			 strlen (consequence) > strlen (using)
			 ? consequence : "using none, as if unset");
}

char **
gomp_amp_environ (void)
{
  void *program;
  char ***of_program;

  if (environ != NULL)
    return environ;
  /* A program that is linked without -pie has the variable itself, and the C
     library uses it there.  A library that such a program loads with
     RTLD_DEEPBIND finds the C library's own one, which nothing sets.  */
  program = dlopen (NULL, RTLD_LAZY);
  if (program == NULL)
    return NULL;
  of_program = dlsym (program, "environ");
  dlclose (program);
  return of_program != NULL ? *of_program : NULL;
}

/* Whether this process runs the executable NAME.  Without /proc that cannot be
   known, and it counts as such.  */

static bool
runs_p (const char *name)
{
  struct stat own, other;

  return (stat ("/proc/self/exe", &own) != 0
	  || (stat (name, &other) == 0 && own.st_dev == other.st_dev
	      && own.st_ino == other.st_ino));
}

void
gomp_amp_init_options (void)
{
  gomp_amp_init_messages ();
  for (unsigned i = 0; i < gomp_amp_option_count; i++)
    {
      const struct gomp_amp_option *option = &gomp_amp_option_table[i];
      /* In a set-user-ID program this returns NULL: some options name files to
	 read and to write, and the caller of a privileged program is to choose
	 none of the others either.  */
      const char *value = secure_getenv (option->name);

      if (value != NULL && !gomp_amp_parse_option (option, value))
	report (option, value);
    }
  if (gomp_amp_options.program != NULL && !runs_p (gomp_amp_options.program))
    gomp_amp_options.fold = 0;
  gomp_amp_report_unknown_options ();
}
