/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the loop of a header that may be precompiled.  */

#include "inline_sum.h"

int
main (void)
{
  long sum = inline_sum (1000);
  if (sum != 1000 * 1001L / 2)
    printf ("inline_sum: got %ld\n", sum);
  return sum != 1000 * 1001L / 2;
}
