/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Upstream's single.c with an event where threads compete for a construct.  */

#include "libgomp.h"

/* The entry point itself is in ompt/entries/single.h.  */
#undef GOMP_single_start
#define GOMP_single_start upstream_single_start
#include <single.c>

static inline bool
plain_GOMP_single_start (void)
{
  gomp_event_meet ();
  return upstream_single_start ();
}
