/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums up in three languages, by a loop each.  */

#include "check.h"

extern long c_sum (int);
extern long cxx_sum (int);
extern long fortran_sum (int);

int
main (void)
{
  for (int n = 0; n < 5000; n = 3 * n + 1)
    {
      check ("c_sum", c_sum (n), n * (n + 1L) / 2);
      check ("cxx_sum", cxx_sum (n), n * (n + 1L) / 2);
      check ("fortran_sum", fortran_sum (n), n * (n + 1L) / 2);
    }
  return failures;
}
