/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Reads caps on the memory's bandwidth, and shares it.  */

#include "bandwidth-share.h"
#include "base/parse.h"
#include <string.h>

/* A cap below this is treated as a mistake.  */
#define MIN_CAP 0.001

const char *
gomp_virtual_read_caps (const char *text, unsigned classes,
			struct gomp_virtual_caps *caps)
{
  const char *at = text;

  memset (caps, 0, sizeof *caps);
  do
    {
      const char *item = at;
      double *cap = &caps->all, value;
      unsigned long class;

      if (gomp_amp_read_number (&at, GOMP_AMP_MAX_CLASSES, &class)
	  && *at == ':')
	{
	  at++;
	  if (class >= classes)
	    return "the machine has no such class; the slowest is 0";
	  cap = &caps->of_class[classes - 1 - class];
	}
      else
	at = item;
      if (!gomp_amp_read_decimal (&at, GOMP_VIRTUAL_MAX_BANDWIDTH, &value)
	  || value < MIN_CAP)
	return "a bandwidth is missing or out of range";
      if (*cap != 0)
	return "a second cap for the same cores";
      *cap = value;
    }
  while (gomp_amp_read_char (&at, ','));
  return *at == '\0' ? NULL : "more follows a bandwidth";
}

/* The part of DEMAND that CAP allows.  */

static double
allowed (double demand, double cap)
{
  return cap == 0 || demand <= cap ? 1 : cap / demand;
}

void
gomp_virtual_share (const struct gomp_virtual_caps *caps, unsigned classes,
		    const double *demand, double *rate)
{
  double sum = 0, part;

  for (unsigned class = 0; class < classes; class++)
    {
      rate[class] = allowed (demand[class], caps->of_class[class]);
      sum += demand[class] * rate[class];
    }
  part = allowed (sum, caps->all);
  for (unsigned class = 0; class < classes; class++)
    rate[class] *= part;
}
