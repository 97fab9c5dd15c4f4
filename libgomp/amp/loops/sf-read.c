/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Reads a file of speedup factors.  */

#define _GNU_SOURCE 1
#include "base/message.h"
#include "base/parse.h"
#include "loops/sf-lines.h"
#include "options/options.h"
#include "options/sf-list.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Limits on what a malicious file can cost.  */
#define MAX_LINE 4096
#define MAX_READS 100000	/* Each of MAX_LINE bytes or one line.  */
#define MAX_MESSAGES 5

/* Read one line of STREAM into TEXT of MAX_LINE bytes, without the newline.
   Set *TOO_LONG if the line is longer; the next call continues with its rest.
   Set *BINARY if the line has a NUL, which ends TEXT but not the line.  Returns
   false at the end of the file.  */

static bool
read_line (FILE *stream, char *text, bool *too_long, bool *binary)
{
  size_t length = 0;
  int c = '\0';

  *binary = false;
  while (length < MAX_LINE - 1 && (c = getc (stream)) != EOF && c != '\n')
    {
      *binary |= c == '\0';
      text[length++] = c;
    }
  text[length] = '\0';
  *too_long = length == MAX_LINE - 1;
  return length > 0 || c == '\n';
}

/* Parse TEXT, which is neither blank nor a comment.  Returns NULL if it is
   malformed, or if memory is short.  */

static struct gomp_amp_sf_line *
parse_line (const char *text, double max)
{
  double sf[GOMP_AMP_MAX_CLASSES];
  unsigned long samples = 1;
  const char *p = text, *site;
  size_t length;
  int count;
  char *name;

  gomp_amp_skip_blanks (&p);
  site = p;
  while (*p != '\0' && !gomp_amp_blank_p (*p))
    ++p;
  length = p - site;
  gomp_amp_skip_blanks (&p);
  /* The file has six decimals, so a factor of 1/3 may read as a little
     less.  */
  count = gomp_amp_read_sf_list (&p, 0.999 / max, max, sf);
  if (count <= 0)
    return NULL;
  for (int class = 0; class < count; class++)
    if (sf[class] > 0 && sf[class] < 1 / max)
      sf[class] = 1 / max;
  if (gomp_amp_read_char (&p, '#'))
    gomp_amp_read_number (&p, ULONG_MAX, &samples);
  else if (!gomp_amp_at_end (p))
    return NULL;
  name = strndup (site, length);
  return name != NULL ? gomp_amp_new_sf_line (name, samples, count, sf) : NULL;
}

/* Read the machine from TEXT, the second line of a file.  Returns false if it
   names neither a machine nor "any".  */

static bool
parse_machine (const char *text, unsigned long long *machine)
{
  size_t prefix = strlen (GOMP_AMP_SF_MACHINE);

  if (strcmp (text, GOMP_AMP_SF_MACHINE "any") == 0)
    {
      *machine = GOMP_AMP_SF_ANY_MACHINE;
      return true;
    }
  if (strncmp (text, GOMP_AMP_SF_MACHINE, prefix) != 0
      || strspn (text + prefix, "0123456789abcdef") != 16
      || text[prefix + 16] != '\0')
    return false;
  *machine = strtoull (text + prefix, NULL, 16);
  return true;
}

/* Read the two lines of STREAM that precede those of loops.  Returns NULL if
   the rest is valid for MACHINE, else the reason why not, which may be in
   DETAIL of SIZE bytes.  */

static const char *
read_header (FILE *stream, unsigned long long machine, char *detail,
	     size_t size)
{
  char text[MAX_LINE];
  bool too_long, binary;
  unsigned long long from;

  if (!read_line (stream, text, &too_long, &binary) || binary
      || strcmp (text, GOMP_AMP_SF_HEADER) != 0)
    return "its first line is not '" GOMP_AMP_SF_HEADER "'";
  if (!read_line (stream, text, &too_long, &binary) || binary
      || !parse_machine (text, &from))
    return "its second line is not '" GOMP_AMP_SF_MACHINE
	   "' with 16 hexadecimal digits or 'any'";
  if (from == machine || from == GOMP_AMP_SF_ANY_MACHINE
      || machine == GOMP_AMP_SF_ANY_MACHINE)
    return NULL;
  snprintf (detail, size,
	    "they are of machine %016llx, or of other classes of cores, and"
	    " this is %016llx, for which GOMP_AID_SF_SAVE writes such a file",
	    from, machine);
  return detail;
}

/* Open the regular file PATH and read what precedes its first loop.  SHOWN is
   the file's name for messages.  If something fails, reports it and returns
   NULL.  */

static FILE *
open_file (const char *path, const char *shown, unsigned long long machine)
{
  char detail[200];
  const char *wrong;
  struct stat status;
  FILE *stream = NULL;
  /* Any other kind of file may make us wait for it, or never end.  */
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

  errno = fd < 0 ? errno : 0;
  if (fd >= 0 && fstat (fd, &status) == 0 && S_ISREG (status.st_mode))
    stream = fdopen (fd, "r");
  if (stream != NULL)
    {
      wrong = read_header (stream, machine, detail, sizeof detail);
      if (wrong == NULL)
	return stream;
      if (ferror (stream))
	wrong = strerror (errno);
    }
  else
    wrong = errno != 0 ? strerror (errno) : "it is no regular file";
  gomp_error ("Cannot use the speedup factors in %s: %s; going on without"
	      " them", shown, wrong);
  if (stream != NULL)
    fclose (stream);
  else if (fd >= 0)
    close (fd);
  return NULL;
}

/* Report that line NUMBER of the file SHOWN, which has TEXT, is ignored because
   of WRONG.  LAST: further lines are not reported.  */

static void
report_line (const char *shown, unsigned number, const char *text,
	     const char *wrong, bool last)
{
  char shown_line[65];

  gomp_amp_printable (shown_line, sizeof shown_line, text);
  gomp_error ("%s:%u: Invalid line '%s': %s; it is ignored%s", shown, number,
	      shown_line, wrong,
	      last ? ", and so are further bad ones, silently" : "");
}

void
gomp_amp_read_sf_file (const char *path, double max, unsigned long long machine,
		       gomp_amp_sf_user *use, void *data)
{
  char text[MAX_LINE], shown[256], expected[100];
  unsigned number = 2, reads, messages = 0;
  bool too_long = false, binary, rest = false;
  FILE *stream;

  gomp_amp_printable (shown, sizeof shown, path);
  stream = open_file (path, shown, machine);
  if (stream == NULL)
    return;
  snprintf (expected, sizeof expected, "expected 'module+0xoffset class:SF,...'"
	    " with SF between 1/%g and %g", max, max);
  for (reads = 0;
       reads < MAX_READS && read_line (stream, text, &too_long, &binary);
       reads++)
    {
      const char *p = text, *wrong = expected;
      struct gomp_amp_sf_line *line;
      bool continued = rest, whole = !too_long && !binary;

      rest = too_long;
      number += !continued;
      gomp_amp_skip_blanks (&p);
      if (continued || (*p == '\0' && whole) || *p == '#')
	continue;
      line = whole ? parse_line (p, max) : NULL;
      if (line != NULL && (wrong = use (line, data)) == NULL)
	continue;
      if (messages++ < MAX_MESSAGES)
	report_line (shown, number, text, wrong, messages == MAX_MESSAGES);
      gomp_amp_free_sf_line (line);
    }
  if (reads == MAX_READS)
    gomp_error ("%s: too long; what follows line %u is ignored", shown,
		number);
  fclose (stream);
}
