/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The lines of a file of speedup factors, in memory.  */

#define _GNU_SOURCE 1
#include "base/assert.h"
#include "loops/sf-lines.h"
#include <search.h>
#include <stdlib.h>
#include <string.h>

struct gomp_amp_sf_line *
gomp_amp_new_sf_line (char *site, unsigned long samples, unsigned count,
		      const double *sf)
{
  struct gomp_amp_sf_line *line
    = malloc (sizeof *line + count * sizeof line->sf[0]);

  GOMP_AMP_ASSERT (site != NULL);
  if (line == NULL)
    {
      free (site);
      return NULL;
    }
  line->site = site;
  line->samples = samples;
  line->count = count;
  memcpy (line->sf, sf, count * sizeof line->sf[0]);
  return line;
}

static int
compare_lines (const void *a, const void *b)
{
  return strcmp (((const struct gomp_amp_sf_line *) a)->site,
		 ((const struct gomp_amp_sf_line *) b)->site);
}

struct gomp_amp_sf_line *
gomp_amp_find_sf_line (const gomp_amp_sf_lines *lines, const char *site)
{
  struct gomp_amp_sf_line key = { .site = (char *) site };
  void *node = tfind (&key, lines, compare_lines);

  return node != NULL ? *(struct gomp_amp_sf_line **) node : NULL;
}

bool
gomp_amp_add_sf_line (gomp_amp_sf_lines *lines, struct gomp_amp_sf_line *line)
{
  void *node = tsearch (line, lines, compare_lines);

  return node != NULL && *(struct gomp_amp_sf_line **) node == line;
}

void
gomp_amp_free_sf_line (struct gomp_amp_sf_line *line)
{
  if (line == NULL)
    return;
  free (line->site);
  free (line);
}

void
gomp_amp_remove_sf_line (gomp_amp_sf_lines *lines, const char *site)
{
  struct gomp_amp_sf_line *line = gomp_amp_find_sf_line (lines, site);

  if (line == NULL)
    return;
  tdelete (line, lines, compare_lines);
  gomp_amp_free_sf_line (line);
}

static const char *
add_line (struct gomp_amp_sf_line *line, void *lines)
{
  return (gomp_amp_add_sf_line (lines, line)
	  ? NULL : "this loop has a line already");
}

void
gomp_amp_read_sf_lines (gomp_amp_sf_lines *lines, const char *path, double max,
			unsigned long long machine)
{
  gomp_amp_read_sf_file (path, max, machine, add_line, lines);
}
