/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Reads the CPU quota from cgroups of both versions.  */

#include "machine/quota.h"
#include "machine/machine-source.h"
#include "base/parse.h"
#include "options/options.h"
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More is no answer.  */
#define MOST_TEXT 4096

/* Read the number at *P, and skip it and what separates it from the next one.
   Returns false if there is none.  */

static bool
next_number (const char **p, unsigned long *number)
{
  if (!gomp_amp_read_number (p, ULONG_MAX, number))
    return false;
  while (**p == ' ' || **p == '\n')
    ++*p;
  return true;
}

/* Read the file NAME of the group DIRECTORY into TEXT.  */

static bool
read_group (const char *directory, const char *name, char *text, size_t size)
{
  char path[PATH_MAX];
  int length = snprintf (path, sizeof path, "%s/%s", directory, name);

  return (length > 0 && (size_t) length < sizeof path
	  && gomp_amp_read_text (path, text, size));
}

/* The quota of the group DIRECTORY alone.  */

static unsigned
quota_of_group (const char *directory)
{
  char text[64], period_text[64];
  const char *p = text, *period_at = period_text;
  unsigned long quota, period;

  if (read_group (directory, "cpu.max", text, sizeof text))
    {
      /* "max PERIOD" if there is none.  */
      if (!next_number (&p, &quota) || !next_number (&p, &period))
	return GOMP_AMP_NO_QUOTA;
    }
  /* -1 if there is none.  */
  else if (!read_group (directory, "cpu.cfs_quota_us", text, sizeof text)
	   || !read_group (directory, "cpu.cfs_period_us", period_text,
			   sizeof period_text)
	   || !next_number (&p, &quota) || !next_number (&period_at, &period))
    return GOMP_AMP_NO_QUOTA;
  if (period == 0 || quota / period >= GOMP_AMP_NO_QUOTA / 1000)
    return GOMP_AMP_NO_QUOTA;
  return quota / period * 1000 + quota % period * 1000 / period;
}

/* The least quota of the group GROUP, of LENGTH bytes, below the directory
   HIERARCHY, and of all above it.  A container sees its own group as the root
   of the hierarchy, while GROUP may still be its name outside.  */

static unsigned
quota_in (const char *hierarchy, const char *group, size_t length)
{
  char path[PATH_MAX];
  size_t top = strlen (hierarchy);
  unsigned least = GOMP_AMP_NO_QUOTA;

  if (top + length >= sizeof path)
    return least;
  memcpy (path, hierarchy, top);
  memcpy (path + top, group, length);
  path[top + length] = '\0';
  for (;;)
    {
      unsigned quota = quota_of_group (path);
      char *slash = strrchr (path + top, '/');

      if (quota < least)
	least = quota;
      if (slash == NULL)
	return least;
      *slash = '\0';
    }
}

/* Whether the list NAMES, of LENGTH bytes, has "cpu".  */

static bool
has_cpu (const char *names, size_t length)
{
  const char *end = names + length;

  while (names < end)
    {
      const char *comma = memchr (names, ',', end - names);
      size_t size = (comma != NULL ? comma : end) - names;

      if (size == 3 && memcmp (names, "cpu", 3) == 0)
	return true;
      names += size + 1;
    }
  return false;
}

/* The quota that LINE, of LENGTH bytes, of /proc/self/cgroup leads to:
   NUMBER:CONTROLLERS:GROUP, without controllers in version 2.  */

static unsigned
quota_by_line (const char *root, const char *line, size_t length)
{
  const char *end = line + length;
  const char *names = memchr (line, ':', length);
  const char *group = (names != NULL
		       ? memchr (names + 1, ':', end - names - 1) : NULL);
  char hierarchy[PATH_MAX];
  unsigned quota, other;
  int size;

  if (group == NULL)
    return GOMP_AMP_NO_QUOTA;
  names++;
  group++;
  if (names == group - 1)
    {
      size = snprintf (hierarchy, sizeof hierarchy, "%s/fs/cgroup", root);
      if (size <= 0 || (size_t) size >= sizeof hierarchy - sizeof "/unified")
	return GOMP_AMP_NO_QUOTA;
      quota = quota_in (hierarchy, group, end - group);
      /* Beside version 1.  */
      strcpy (hierarchy + size, "/unified");
      other = quota_in (hierarchy, group, end - group);
      return other < quota ? other : quota;
    }
  if (!has_cpu (names, group - 1 - names))
    return GOMP_AMP_NO_QUOTA;
  size = snprintf (hierarchy, sizeof hierarchy, "%s/fs/cgroup/%.*s", root,
		   (int) (group - 1 - names), names);
  return (size > 0 && (size_t) size < sizeof hierarchy
	  ? quota_in (hierarchy, group, end - group) : GOMP_AMP_NO_QUOTA);
}

unsigned
gomp_amp_quota_cpus (unsigned quota)
{
  return (quota == GOMP_AMP_NO_QUOTA ? ~0U
	  : quota < 1500 ? 1 : (quota + 999) / 1000);
}

unsigned
gomp_amp_quota_of (const char *root, const char *groups)
{
  unsigned least = GOMP_AMP_NO_QUOTA;

  while (*groups != '\0')
    {
      size_t length = strcspn (groups, "\n");
      unsigned quota = quota_by_line (root, groups, length);

      if (quota < least)
	least = quota;
      groups += length + (groups[length] == '\n');
    }
  return least;
}

unsigned
gomp_amp_quota (void)
{
  const char *topology = gomp_amp_options.topology, *root = "/sys";
  char path[PATH_MAX] = "/proc/self/cgroup", text[MOST_TEXT];
  int length;

  if (topology != NULL && gomp_amp_sysfs_root_p (topology))
    {
      root = topology;
      length = snprintf (path, sizeof path, "%s/fs/cgroup/self", root);
      if (length <= 0 || (size_t) length >= sizeof path)
	return GOMP_AMP_NO_QUOTA;
    }
  return (gomp_amp_read_text (path, text, sizeof text)
	  ? gomp_amp_quota_of (root, text) : GOMP_AMP_NO_QUOTA);
}
