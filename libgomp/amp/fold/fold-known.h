/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* What pools know of called regions, and the deals that they share.

   A deal (fold-shares.h) belongs to the process.  A pool takes one for a run of
   a region, and gives it back at the end of that, so pools that run the same
   regions learn together.  A region that several pools run at once has as many
   deals.  A deal is never freed: a thread that is late may still read what was
   dealt in a run that has ended (rule 3 of fold-take.h).

   All of it together takes GOMP_FOLD_MOST_KNOWN bytes at most.  Regions for
   which there is no room are run by turns.  To find that out takes as long as
   to find a region.  */

#ifndef GOMP_AMP_FOLD_KNOWN_H
#define GOMP_AMP_FOLD_KNOWN_H 1

#include <stdbool.h>
#include "base/hash.h"
#include "base/objects.h"
#include "fold/fold-pool.h"
#include "fold/fold-shares.h"
#include "options/options.h"

#pragma GCC visibility push(hidden)

/* 20 000 regions of 8 ids on 4 workers.  */
#define GOMP_FOLD_MOST_KNOWN (32ul << 20)

/* What a pool knows of the region FN with IDS ids on WORKERS workers, of which
   HOME has id 0.  OBJECT: where FN is.  RAN: all threads of the pool have run
   it.  REGION: NULL if memory is short.  DEAL: the one that the pool took last,
   or NULL.  */
struct gomp_fold_known
{
  struct gomp_fold_known *next;
  gomp_fold_region_fn fn;
  unsigned ids, workers, home;
  bool ran;
  struct gomp_amp_object object;
  struct gomp_fold_region *region;
  struct gomp_fold_deal *deal;
};

/* All regions that a pool knows: 1 << BITS lists by the hashes of functions;
   LIST is NULL at first.  COUNT: how many.  */
struct gomp_fold_knowns
{
  struct gomp_fold_known **list;
  unsigned bits, count;
};

static inline struct gomp_fold_known **
gomp_fold_known_list (const struct gomp_fold_knowns *knowns,
		      gomp_fold_region_fn fn)
{
  return &knowns->list[gomp_amp_hash_address ((const void *) fn)
		       >> (32 - knowns->bits)];
}

/* Add the region FN of IDS ids on TEAM's workers.  NULL if memory is short, or
   too much is known.  */
extern struct gomp_fold_known *
gomp_fold_add_known (struct gomp_fold_knowns *knowns, gomp_fold_region_fn fn,
		     unsigned ids, const struct gomp_fold_team *team);

/* KNOWN's function is in another object than it was.  */
extern void gomp_fold_know_again (struct gomp_fold_known *known);

/* What is known of the region FN of IDS ids on TEAM's workers.  NULL if memory
   is short, or too much is known.  */

static inline struct gomp_fold_known *
gomp_fold_find_known (struct gomp_fold_knowns *knowns, gomp_fold_region_fn fn,
		      unsigned ids, const struct gomp_fold_team *team)
{
  struct gomp_fold_known *known
    = knowns->list != NULL ? *gomp_fold_known_list (knowns, fn) : NULL;

  while (known != NULL
	 && (known->fn != fn || known->ids != ids
	     || known->workers != team->workers || known->home != team->home))
    known = known->next;
  if (__builtin_expect (known == NULL, 0))
    return gomp_fold_add_known (knowns, fn, ids, team);
  /* Another module may have been loaded at this address since.  Its ids may
     not share thread-local variables.  */
  if (gomp_amp_options.fold_calls == GOMP_AMP_CALLS_AUTO
      && !gomp_amp_same_object (&known->object, (const void *) fn))
    gomp_fold_know_again (known);
  return known->region != NULL ? known : NULL;
}

extern void gomp_fold_free_knowns (struct gomp_fold_knowns *knowns);

/* gomp_fold_take_deal if another pool has KNOWN's deal, or if that was dealt to
   other workers than may run now.  What was learned of those is lost.  */
extern struct gomp_fold_deal *
gomp_fold_find_deal (const struct gomp_fold_pool *fold,
		     struct gomp_fold_known *known,
		     const struct gomp_fold_team *team);

/* Take DEAL.  Returns whether no pool has it.  Acquire what the last one
   learned.  */

static inline bool
gomp_fold_try_deal (struct gomp_fold_deal *deal)
{
  return !__atomic_exchange_n (&deal->busy, true, __ATOMIC_ACQUIRE);
}

static inline void
gomp_fold_give_deal (struct gomp_fold_deal *deal)
{
  __atomic_store_n (&deal->busy, false, __ATOMIC_RELEASE);
}

/* Take a deal for KNOWN's region, which FOLD's TEAM is about to run, and which
   no other pool has until the region has ended.  NULL if memory is short, or
   too much is known.  */

static inline struct gomp_fold_deal *
gomp_fold_take_deal (const struct gomp_fold_pool *fold,
		     struct gomp_fold_known *known,
		     const struct gomp_fold_team *team)
{
  struct gomp_fold_deal *deal = known->deal;

  if (__builtin_expect (deal != NULL && gomp_fold_try_deal (deal), 1))
    {
      if (__builtin_expect (deal->allowed == team->allowed, 1))
	return deal;
      gomp_fold_give_deal (deal);
    }
  return gomp_fold_find_deal (fold, known, team);
}

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_KNOWN_H */
