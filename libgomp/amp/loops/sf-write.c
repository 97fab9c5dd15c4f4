/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Writes a file of speedup factors.  */

#define _GNU_SOURCE 1
#include "base/message.h"
#include "base/parse.h"
#include "base/temporary.h"
#include "loops/sf-lines.h"
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The stream that write_line writes to; twalk passes no argument to it.  */

static FILE *output;

/* Print FACTOR with six decimals and a point, in every locale.  */

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

/* Write LINES, of MACHINE, to FD, and close FD.  Returns 0 or an error
   number.  */

static int
write_file (const gomp_amp_sf_lines *lines, unsigned long long machine, int fd)
{
  int error = 0;

  output = fdopen (fd, "w");
  if (output == NULL)
    {
      error = errno;
      close (fd);
      return error;
    }
  errno = 0;
  fprintf (output, GOMP_AMP_SF_HEADER "\n" GOMP_AMP_SF_MACHINE "%016llx\n",
	   machine);
  twalk (*lines, write_line);
  if (fflush (output) != 0 || ferror (output))
    error = errno ? errno : EIO;
  /* Some file systems report only now that they are full.  */
  if (fclose (output) != 0 && error == 0)
    error = errno;
  return error;
}

/* Replace the file PATH with one that holds LINES, of MACHINE.  Returns 0 or an
   error number.  */

static int
replace_file (const gomp_amp_sf_lines *lines, unsigned long long machine,
	      const char *path)
{
  char *temporary;
  int fd = gomp_amp_make_temporary (path, &temporary), error;

  if (fd < 0)
    return errno;
  error = write_file (lines, machine, fd);
  if (error == 0 && rename (temporary, path) != 0)
    error = errno;
  if (error != 0)
    unlink (temporary);
  free (temporary);
  return error;
}

void
gomp_amp_write_sf_lines (const gomp_amp_sf_lines *lines, const char *path,
			 unsigned long long machine)
{
  char shown[256];
  struct stat status;
  const char *wrong = NULL;

  /* A user who may write to /dev could replace /dev/null with a file.  */
  if (stat (path, &status) == 0 && !S_ISREG (status.st_mode))
    wrong = "it is no regular file";
  else
    {
      int error = replace_file (lines, machine, path);

      if (error != 0)
	wrong = strerror (error);
    }
  if (wrong != NULL)
    {
      gomp_amp_printable (shown, sizeof shown, path);
      gomp_error ("Cannot write the speedup factors to %s: %s; they are lost",
		  shown, wrong);
    }
}
