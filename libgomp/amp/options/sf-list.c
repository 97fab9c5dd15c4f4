/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Parsing of lists of speedup factors.  */

#include "base/assert.h"
#include "base/parse.h"
#include "options/sf-list.h"

/* More than any accepted factor, so that a factor out of range is not mistaken
   for a malformed number.  */
#define MOST 1e15

int
gomp_amp_read_sf_list (const char **cursor, double min, double max, double *sf)
{
  unsigned count = 0;

  GOMP_AMP_ASSERT (min > 0 && min <= max && max < MOST);
  for (unsigned i = 0; i < GOMP_AMP_MAX_CLASSES; i++)
    sf[i] = 0;
  for (const char *p = *cursor;; *cursor = p)
    {
      unsigned long class;
      double factor;

      if (!gomp_amp_read_number (&p, GOMP_AMP_MAX_CLASSES - 1, &class)
	  || !gomp_amp_read_char (&p, ':')
	  || !gomp_amp_read_decimal (&p, MOST, &factor))
	return GOMP_AMP_SF_MALFORMED;
      if (factor < min || factor > max)
	return GOMP_AMP_SF_OUT_OF_RANGE;
      if (sf[class] != 0)
	return GOMP_AMP_SF_TWICE;
      sf[class] = factor;
      if (class >= count)
	count = class + 1;
      if (!gomp_amp_read_char (&p, ','))
	{
	  *cursor = p;
	  return count;
	}
    }
}
