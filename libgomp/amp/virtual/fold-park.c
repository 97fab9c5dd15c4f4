/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* In virtual time each id keeps its own kernel thread, which holds the baton
   while the id is picked up.  A carrier is what it is elsewhere, a worker's
   right to run, but no thread of its own: what it picks up is bound to its
   worker's CPU.  To pick up an id takes as long as to hand over the CPU
   (GOMP_AMP_VIRTUAL_SWITCH_NS).  */

#include "libgomp.h"
#include "fold/fold-carry.h"
#include "fold/fold-kernel.h"
#include "fold/fold-park.h"

bool
gomp_fold_make_room (struct gomp_fold_carrier *c __attribute__ ((unused)))
{
  return true;
}

void
gomp_fold_free_room (struct gomp_fold_carrier *c __attribute__ ((unused)))
{
}

/* ID is picked up by C.  */

static void
let_go_on (struct gomp_fold_id *id, struct gomp_fold_carrier *c)
{
  const struct gomp_fold_worker *w = __atomic_load_n (&c->of,
						      __ATOMIC_RELAXED);

  id->on = c;
  __atomic_store_n (&c->run, id, __ATOMIC_RELAXED);
  /* As if the watching thread's lock were held, which may wait for that of W;
     but the baton is.  */
  if (w != NULL)
    gomp_fold_place (c, w, true);
  __atomic_store_n (&id->go, 1, __ATOMIC_RELEASE);
  gomp_fold_wake (&id->go);
}

/* Wait until the calling id is picked up.  */

static void
stay_down (struct gomp_fold_id *id)
{
  while (!__atomic_load_n (&id->go, __ATOMIC_ACQUIRE))
    gomp_fold_sleep (&id->go, 0);
  __atomic_store_n (&id->go, 0, __ATOMIC_RELAXED);
}

void
gomp_fold_change (struct gomp_fold_id *from, struct gomp_fold_id *to,
		  struct gomp_fold_carrier *c)
{
  let_go_on (to, c);
  stay_down (from);
}

void
gomp_fold_leave (struct gomp_fold_id *from, struct gomp_fold_carrier *c)
{
  struct gomp_fold_id *next;

  gomp_fold_picked_up (c);
  next = gomp_fold_park (c);
  if (next != NULL)
    let_go_on (next, c);
  stay_down (from);
}

void
gomp_fold_wake_carrier (struct gomp_fold_carrier *c)
{
  let_go_on (gomp_fold_take_given (c), c);
}

void
gomp_fold_block_signals (struct gomp_fold_carrier *c __attribute__ ((unused)))
{
}

void
gomp_fold_unblock_signals (struct gomp_fold_carrier *c)
{
  c->masked = false;
}
