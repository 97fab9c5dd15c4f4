/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Writes a file of speedup factors.  */

#define _GNU_SOURCE 1
#include "sf-lines.h"
#include "message.h"
#include "parse.h"
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where write_line writes; twalk takes no argument to pass it in.  */

static FILE *output;

/* Print FACTOR with six decimals and a point, whatever the locale.  */

static void
write_factor (double factor)
{
  unsigned long millionths = (unsigned long) (factor * 1e6 + 0.5);

  fprintf (output, "%lu.%06lu", millionths / 1000000, millionths % 1000000);
}

static void
write_line (const void *node, VISIT visit, int depth __attribute__ ((unused)))
{
  const struct gomp_amp_sf_line *line
    = *(const struct gomp_amp_sf_line *const *) node;
  const char *separator = " ";

  if (visit != postorder && visit != leaf)
    return;
  fputs (line->site, output);
  for (unsigned class = 0; class < line->count; class++)
    if (line->sf[class] > 0)
      {
	fprintf (output, "%s%u:", separator, class);
	write_factor (line->sf[class]);
	separator = ",";
      }
  fprintf (output, " # %lu\n", line->samples);
}

/* Write LINES to the new file NAME.  Returns 0 or an error number.  */

static int
write_file (const gomp_amp_sf_lines *lines, const char *name)
{
  int error = 0;
  int fd = open (name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC
		       | O_NONBLOCK, 0666);

  output = fd >= 0 ? fdopen (fd, "w") : NULL;
  if (output == NULL)
    {
      error = errno;
      if (fd >= 0)
	close (fd);
      return error;
    }
  fputs (GOMP_AMP_SF_HEADER "\n", output);
  twalk (*lines, write_line);
  if (fflush (output) != 0 || ferror (output))
    error = errno ? errno : EIO;
  fclose (output);
  return error;
}

void
gomp_amp_write_sf_lines (const gomp_amp_sf_lines *lines, const char *path)
{
  char *temporary;
  char shown[256];
  struct stat status;
  const char *wrong = NULL;
  int error;

  if (asprintf (&temporary, "%s.%ld.tmp", path, (long) getpid ()) < 0)
    return;
  /* Whoever may write to /dev may replace /dev/null by a file.  */
  if (stat (path, &status) == 0 && !S_ISREG (status.st_mode))
    wrong = "it is no regular file";
  else
    {
      error = write_file (lines, temporary);
      if (error == 0 && rename (temporary, path) != 0)
	error = errno;
      if (error != 0)
	{
	  wrong = strerror (error);
	  unlink (temporary);
	}
    }
  if (wrong != NULL)
    {
      gomp_amp_printable (shown, sizeof shown, path);
      gomp_error ("Cannot write the speedup factors to %s: %s; they are lost",
		  shown, wrong);
    }
  free (temporary);
}
