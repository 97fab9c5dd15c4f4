/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Tells the library's version.  */

#include "version.h"

int
ompx_amp_version (void)
{
  return 10000 * GOMP_AMP_MAJOR + 100 * GOMP_AMP_MINOR + GOMP_AMP_PATCH;
}
