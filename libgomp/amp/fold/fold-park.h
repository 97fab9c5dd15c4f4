/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Kernel threads that pick up ids, and park.  In virtual time, and in the model
   of the tests, each id keeps its own kernel thread, which goes on when the id
   is picked up.  */

#ifndef GOMP_AMP_FOLD_PARK_H
#define GOMP_AMP_FOLD_PARK_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

struct gomp_fold_carrier;
struct gomp_fold_id;

/* Room for C, the calling kernel thread, which runs its own id, to park.
   Returns false if memory is short.  */
extern bool gomp_fold_make_room (struct gomp_fold_carrier *c);
extern void gomp_fold_free_room (struct gomp_fold_carrier *c);

/* Put down FROM, the calling id, and pick up TO on the kernel thread C, which
   runs FROM.  Returns when FROM is picked up.  */
extern void gomp_fold_change (struct gomp_fold_id *from,
			      struct gomp_fold_id *to,
			      struct gomp_fold_carrier *c);

/* Put down FROM, the calling id, and park C, which runs FROM.  */
extern void gomp_fold_leave (struct gomp_fold_id *from,
			     struct gomp_fold_carrier *c);

/* C, which is parked, has been given an id: let it go on.  */
extern void gomp_fold_wake_carrier (struct gomp_fold_carrier *c);

/* Block the signals of the calling kernel thread, C, until it has picked up
   another id.  */
extern void gomp_fold_block_signals (struct gomp_fold_carrier *c);
extern void gomp_fold_unblock_signals (struct gomp_fold_carrier *c);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_PARK_H */
