/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Called regions in small: one thread deals two of them one after the other, another one looks for
   ids whenever it likes, a third takes all that is left of a share, or revokes shares.  Compiled as
   the library's code is, so that the checker sees each access.  */
#ifndef TAKE_PROGRAM_H
#define TAKE_PROGRAM_H 1

#ifdef __cplusplus
extern "C" {
#endif

#include "fold/fold-take.h"

#pragma GCC visibility push(hidden)

enum { TAKE_WORKERS = 2, TAKE_IDS = 3, TAKE_REGIONS = 2 };

/* All that the threads share.  */
struct take_world {
  struct gomp_fold_share share[TAKE_WORKERS];
  struct gomp_fold_shares shares;
  struct gomp_fold_id_time times[TAKE_REGIONS][TAKE_IDS];
  /* How many regions there are; constant.  */
  int regions;
  /* The worker that dealt found none to take, and there was one.  For its thread.  */
  bool left;
  /* Ids that are not counted in.  */
  int awaited;
  /* What the region is: its number.  */
  int region;
  /* How often each id has run.  */
  int done[TAKE_REGIONS][TAKE_IDS];
};

extern struct take_world take_world;

/* How both regions are dealt.  Constant.  */
extern struct gomp_fold_dealt take_dealt[TAKE_REGIONS];

/* Each is what one thread does.  */
void take_home(void);
void take_other(void);
void take_rescue(void);
void take_revoke(void);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
