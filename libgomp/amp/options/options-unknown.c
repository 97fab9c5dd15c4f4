/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Reports environment variables that look like options and are none.  */

#define _GNU_SOURCE 1
#include "options/options.h"
#include "base/message.h"
#include "base/parse.h"
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* How the names of all options begin.  Upstream has no variable with such a
   name.  */

static const char *const prefixes[] = {
  "GOMP_AMP_", "GOMP_AID_", "GOMP_TASK_"
};

/* The lab's options are known to both libraries: amp-emu sets them for every
   program that it starts, whichever library the program runs on.  */

static const char *const known[] = {
#define GOMP_AMP_OPTION(field, name, type, def, min, max, expected, help) name,
#include "options/options.def"
#ifndef GOMP_AMP_VIRTUAL
# define GOMP_AMP_OPTION(field, name, type, def, min, max, expected, help) name,
# include "virtual/options.def"
# undef GOMP_AMP_OPTION
#endif
};

#define N_ELEMENTS(array) (sizeof (array) / sizeof (array)[0])

/* A longer name is cut off where it is shown, and no option is suggested.  */
#define MAX_NAME GOMP_AMP_MAX_NAME

/* Options of the release before this one, and what has replaced them.  */
static const struct
{
  const char *name, *instead;
} removed[] = {
  { "GOMP_AMP_FOLD_CALLS",
    "there is one way to fold, which needs no choice of regions" }
};

/* The length of the prefix that NAME begins with; 0 if it begins with none.  */

static size_t
prefix_length (const char *name)
{
  if (strncmp (name, "GOMP_", 5) != 0)
    return 0;
  for (size_t i = 0; i < N_ELEMENTS (prefixes); i++)
    if (strncmp (name, prefixes[i], strlen (prefixes[i])) == 0)
      return strlen (prefixes[i]);
  return 0;
}

/* The option whose name is nearest to NAME, which begins with a prefix of
   PREFIX characters; NULL if no option resembles it.  */

static const char *
nearest (const char *name, size_t prefix)
{
  const char *found = NULL;
  unsigned least = MAX_NAME;

  for (size_t i = 0; i < N_ELEMENTS (known); i++)
    {
      unsigned distance = gomp_amp_edit_distance (name, known[i]);
      size_t length = strlen (name);

      if (length < strlen (known[i]))
	length = strlen (known[i]);
      /* A name of which more than half has changed is another word.  */
      if (distance < least && distance <= (length - prefix) / 2)
	{
	  least = distance;
	  found = known[i];
	}
    }
  return found;
}

/* Report ENTRY, a string of environ, if it looks like an option and is
   none.  */

static void
check (const char *entry)
{
  size_t prefix = prefix_length (entry), length;
  char name[MAX_NAME + 2], shown[MAX_NAME + 2];
  const char *other;

  if (prefix == 0)
    return;
  length = strcspn (entry, "=");
  for (size_t i = 0; i < N_ELEMENTS (known); i++)
    if (strlen (known[i]) == length && strncmp (known[i], entry, length) == 0)
      return;
  for (size_t i = 0; i < N_ELEMENTS (removed); i++)
    if (strlen (removed[i].name) == length
	&& strncmp (removed[i].name, entry, length) == 0)
      {
	gomp_error ("%s was removed: %s; it is ignored", removed[i].name,
		    removed[i].instead);
	return;
      }
  /* One more than MAX_NAME, so that the end of a long one becomes "...".  */
  if (length > MAX_NAME + 1)
    length = MAX_NAME + 1;
  memcpy (name, entry, length);
  name[length] = '\0';
  gomp_amp_printable (shown, MAX_NAME + 1, name);
  other = length <= MAX_NAME ? nearest (name, prefix) : NULL;
  if (other != NULL)
    gomp_error ("unknown environment variable %s; did you mean %s?"
		" It is ignored", shown, other);
  else
    gomp_error ("unknown environment variable %s; it is ignored", shown);
}

void
gomp_amp_report_unknown_options (void)
{
  /* The user of a privileged program does not choose what it prints.  */
  char **entry = gomp_amp_environ ();

  if (entry == NULL || getauxval (AT_SECURE) != 0)
    return;
  for (; *entry != NULL; entry++)
    check (*entry);
}
