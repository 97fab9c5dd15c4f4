/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Upstream's ordered.c with events where a doacross loop's iterations end.  */

#include "libgomp.h"

#define GOMP_doacross_post upstream_doacross_post
#define GOMP_doacross_ull_post upstream_doacross_ull_post
#include <ordered.c>
#undef GOMP_doacross_post
#undef GOMP_doacross_ull_post

void
GOMP_doacross_post (long *counts)
{
  gomp_event_meet ();
  upstream_doacross_post (counts);
}

void
GOMP_doacross_ull_post (gomp_ull *counts)
{
  gomp_event_meet ();
  upstream_doacross_ull_post (counts);
}
