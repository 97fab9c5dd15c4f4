/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Lists of CPUs such as 0-3,8 in the kernel's notation.  */

#include "base/cpulist.h"
#include "base/parse.h"
#include <limits.h>

bool
gomp_amp_read_cpu_range (const char **cursor, struct gomp_amp_cpu_range *range)
{
  const char *p = *cursor;
  unsigned long first, last;

  if (!gomp_amp_read_number (&p, INT_MAX, &first))
    return false;
  last = first;
  if (gomp_amp_read_char (&p, '-')
      && (!gomp_amp_read_number (&p, INT_MAX, &last) || last < first))
    return false;
  range->first = first;
  range->last = last;
  *cursor = p;
  return true;
}

bool
gomp_amp_parse_cpulist (const char *text, bool *member, unsigned ncpus)
{
  const char *p = text;
  struct gomp_amp_cpu_range range;

  if (gomp_amp_at_end (p))
    return true;
  gomp_amp_skip_blanks (&p);
  do
    {
      if (!gomp_amp_read_cpu_range (&p, &range))
	return false;
      for (unsigned cpu = range.first; cpu <= range.last && cpu < ncpus; cpu++)
	member[cpu] = true;
    }
  while (gomp_amp_read_char (&p, ','));
  return gomp_amp_at_end (p);
}

void
gomp_amp_print_cpu (struct gomp_amp_cpu_printer *printer, unsigned cpu)
{
  if (printer->any && cpu == printer->range.last + 1)
    {
      printer->range.last = cpu;
      return;
    }
  if (printer->any)
    {
      gomp_amp_print_last_cpu (printer);
      fputc (',', printer->stream);
    }
  printer->range = (struct gomp_amp_cpu_range) { cpu, cpu };
  printer->any = true;
}

void
gomp_amp_print_last_cpu (const struct gomp_amp_cpu_printer *printer)
{
  if (!printer->any)
    return;
  fprintf (printer->stream, "%u", printer->range.first);
  if (printer->range.last > printer->range.first)
    fprintf (printer->stream, "-%u", printer->range.last);
}
