/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the test programs share: a counter of failed checks, and a slow
   iteration.  */

#include <stdio.h>
#include <unistd.h>

static int failures;

static inline void
check (const char *what, long got, long expected)
{
  if (got != expected)
    {
      printf ("%s: got %ld, expected %ld\n", what, got, expected);
      failures = 1;
    }
}

/* i + 1, late for one i: a thread that may go on without waiting does so first, and
   finds that value missing unless the thread is the same.  */
static inline int
later (int i)
{
  if (i == 5)
    usleep (2000);
  return i + 1;
}
