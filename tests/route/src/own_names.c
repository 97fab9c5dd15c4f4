/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A unit with routed loops, and with functions of the names of some of the C
   library's; getenv is the library's.  */

#include <stddef.h>

extern char *getenv (const char *);
static int calls;

static int __attribute__ ((noinline))
write (int i)
{
  calls++;
  return i;
}

static int __attribute__ ((noinline))
getauxval (int i)
{
  calls++;
  return i;
}

int
main (void)
{
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 100; i++)
    sum += i;
  if (calls || sum != 4950 || getenv ("OWN_NAMES_UNSET"))
    return 1;
  return write (2) + getauxval (3) != 5;
}
