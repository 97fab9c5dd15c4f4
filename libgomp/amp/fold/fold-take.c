/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Takes ids of called regions.  The rules are in fold-take.h.  */

#include "fold/fold-take.h"
#include <stdlib.h>
#include <string.h>

static inline unsigned long
load_word (const struct gomp_fold_share *share)
{
  /* Relaxed: what is read is used only if a compare and swap confirms it.  */
  return __atomic_load_n (&share->word, __ATOMIC_RELAXED);
}

/* Change SHARE from WORD to CHANGED.  Returns whether it was WORD.  */

static inline bool
change (struct gomp_fold_share *share, unsigned long word,
	unsigned long changed)
{
  return __atomic_compare_exchange_n (&share->word, &word, changed, false,
				      __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static inline float
load_float (const float *from)
{
  float value;

  __atomic_load (from, &value, __ATOMIC_RELAXED);
  return value;
}

static inline void
store_float (float *to, float value)
{
  __atomic_store (to, &value, __ATOMIC_RELAXED);
}

static inline struct gomp_fold_dealt *
dealt_of (const struct gomp_fold_shares *shares)
{
  return __atomic_load_n (&shares->dealt, __ATOMIC_ACQUIRE);
}

/* The cost of the positions [FIRST, END), FIRST <= END, which may be of another
   region than DEALT.  */

static inline float
cost_of (const struct gomp_fold_dealt *dealt, unsigned first, unsigned end)
{
  if (end > dealt->ids)
    return 0;
  return load_float (&dealt->cost[end]) - load_float (&dealt->cost[first]);
}

/* The owner of SHARE runs the timed id at AT from NOW on.  */

static void
begin_timed (const struct gomp_fold_dealt *dealt,
	     struct gomp_fold_share *share, unsigned at,
	     unsigned long long now)
{
  share->at = at;
  share->since_ns = now;
  store_float (&share->expected, cost_of (dealt, at, at + 1) * share->slow);
  __atomic_store_n (&share->begun, now, __ATOMIC_RELAXED);
}

/* The owner of SHARE has taken what is at AT.  Returns the id.  */

static inline unsigned
begin (const struct gomp_fold_shares *shares, struct gomp_fold_share *share,
       unsigned at, unsigned long long now)
{
  const struct gomp_fold_dealt *dealt = shares->dealt;

  if (share->ran++ == 0)
    share->first_ns = now;
  share->uncounted++;
  if (gomp_fold_timed (shares))
    begin_timed (dealt, share, at, now);
  return dealt->order[at];
}

/* The timed id that worker ME ran ended at NOW.  */

static void
end_timed (const struct gomp_fold_shares *shares, unsigned me,
	   unsigned long long now)
{
  const struct gomp_fold_dealt *dealt = shares->dealt;
  struct gomp_fold_share *share = &shares->share[me];
  unsigned at = share->at;
  float ns = now - share->since_ns;

  dealt->times[at] = (struct gomp_fold_id_time) { ns, me };
  if (share->slow == 0)
    store_float (&share->slow, ns / cost_of (dealt, at, at + 1));
  __atomic_store_n (&share->begun, 0, __ATOMIC_RELAXED);
}

/* In how many nanoseconds from NOW the owner of SHARE will have ended its
   present id, which began at BEGUN, and takes DEFAULT_NS if nothing is known.
   One that takes longer than expected is expected to go on for as long as it is
   late.  */

static inline float
rest_of (const struct gomp_fold_share *share, unsigned long begun,
	 float default_ns, unsigned long long now)
{
  float expected = load_float (&share->expected), rest;

  rest = ((expected != 0 ? expected : default_ns)
	  - (long) ((unsigned long) now - begun));
  return rest > 0 ? rest : -rest;
}

static inline unsigned char
manner_of (const struct gomp_fold_share *share)
{
  return __atomic_load_n (&share->manner, __ATOMIC_RELAXED);
}

/* Whether worker ME leaves an id of COST at NOW: when it would end it the
   others will have ended all that has not begun, in ids of that cost.  */

static bool
leaves (const struct gomp_fold_shares *shares,
	const struct gomp_fold_dealt *dealt, unsigned me, float cost,
	unsigned long long now)
{
  float mine = load_float (&shares->share[me].slow), takes = cost * mine;
  float left = 0, others = 0;
  unsigned long began = __atomic_load_n (&shares->began, __ATOMIC_RELAXED);

  if (mine == 0
      || ((long) ((unsigned long) now - began) + takes
	  <= load_float (&dealt->end_ns)))
    return false;
  for (unsigned w = 0; w < gomp_fold_sharers (shares); w++)
    {
      const struct gomp_fold_share *share = &shares->share[w];
      unsigned long word = load_word (share);
      unsigned long begun = __atomic_load_n (&share->begun, __ATOMIC_RELAXED);
      float slow = load_float (&share->slow), spare;

      if (gomp_fold_has_ids (word))
	left += cost_of (dealt, gomp_fold_front (word),
			 gomp_fold_end (word));
      if (w == me || begun == 0 || (manner_of (share) & GOMP_FOLD_REVOKED))
	continue;
      spare = takes - rest_of (share, begun, takes, now);
      if (slow == 0)
	slow = mine;
      if (spare > 0)
	others += (unsigned) (spare / (cost * slow)) * cost;
    }
  return others * (1 + 1e-6f) >= left;
}

/* What worker ME, which does not take all that it can, does at NOW with the id
   at AT: GOMP_FOLD_NO_ID, GOMP_FOLD_LATER, or 0 if it takes it.  */

static unsigned __attribute__ ((noinline))
passes_by (const struct gomp_fold_shares *shares,
	   const struct gomp_fold_dealt *dealt, unsigned me, unsigned at,
	   unsigned long long now)
{
  unsigned char manner = manner_of (&shares->share[me]);

  /* Relaxed: HOME itself has written it, or rung for the thread that takes its
     ids.  */
  if ((manner & GOMP_FOLD_REVOKED)
      && me != __atomic_load_n (&shares->home, __ATOMIC_RELAXED))
    return GOMP_FOLD_NO_ID;
  return ((manner & GOMP_FOLD_LEAVES)
	  && __atomic_load_n (&dealt->timed, __ATOMIC_RELAXED)
	  && leaves (shares, dealt, me, cost_of (dealt, at, at + 1), now)
	  ? GOMP_FOLD_LATER : 0);
}

/* The worker with ids that would end last, if all run only their own from NOW
   on; its word is stored in *FOUND.  -1 if no share has any.  */

static int
find_victim (const struct gomp_fold_shares *shares,
	     const struct gomp_fold_dealt *dealt, unsigned me,
	     unsigned long long now, unsigned long *found)
{
  float mine = load_float (&shares->share[me].slow), last = -1;
  int victim = -1;

  for (unsigned w = 0; w < gomp_fold_sharers (shares); w++)
    {
      const struct gomp_fold_share *share = &shares->share[w];
      unsigned long word = load_word (share), begun;
      float slow, end;

      if (!gomp_fold_has_ids (word))
	continue;
      begun = __atomic_load_n (&share->begun, __ATOMIC_RELAXED);
      slow = load_float (&share->slow);
      if (slow == 0)
	slow = mine != 0 ? mine : 1;
      end = slow * cost_of (dealt, gomp_fold_front (word),
			    gomp_fold_end (word));
      if (begun != 0)
	end += rest_of (share, begun, cost_of (dealt, 0, 1) * slow, now);
      if (end > last)
	{
	  victim = w;
	  last = end;
	  *found = word;
	}
    }
  return victim;
}

/* Worker ME takes another worker's id.  */

static unsigned
steal (struct gomp_fold_shares *shares, unsigned me, unsigned long long now)
{
  struct gomp_fold_share *own = &shares->share[me];

  for (;;)
    {
      const struct gomp_fold_dealt *dealt = dealt_of (shares);
      unsigned long word;
      unsigned at, passes;
      int victim;

      /* Nothing was ever dealt.  */
      if (dealt == NULL)
	return GOMP_FOLD_NO_ID;
      victim = find_victim (shares, dealt, me, now, &word);
      if (victim < 0)
	return GOMP_FOLD_NO_ID;
      at = gomp_fold_end (word) - 1;
      if (manner_of (own) != GOMP_FOLD_TAKES
	  && (passes = passes_by (shares, dealt, me, at, now)) != 0)
	return passes;
      if (change (&shares->share[victim], word, word - 1))
	{
	  own->thief_of = victim + 1;
	  return begin (shares, own, at, now);
	}
    }
}

unsigned
gomp_fold_take (struct gomp_fold_shares *shares, unsigned me,
		unsigned long long now)
{
  struct gomp_fold_share *own = &shares->share[me];

  if (__atomic_load_n (&own->begun, __ATOMIC_RELAXED) != 0)
    end_timed (shares, me, now);
  for (;;)
    {
      unsigned long word = load_word (own);
      unsigned at = gomp_fold_front (word), passes;
      const struct gomp_fold_dealt *dealt;

      if (at >= gomp_fold_end (word))
	return steal (shares, me, now);
      dealt = dealt_of (shares);
      if (manner_of (own) != GOMP_FOLD_TAKES
	  && (passes = passes_by (shares, dealt, me, at, now)) != 0)
	return passes;
      if (change (own, word, word + (1UL << GOMP_FOLD_HALF)))
	return begin (shares, own, at, now);
    }
}

unsigned
gomp_fold_count_in (struct gomp_fold_share *share, unsigned long long now)
{
  unsigned ran = share->uncounted;

  if (ran == 0)
    return 0;
  share->last_ns = now;
  share->uncounted = 0;
  __atomic_store_n (&share->begun, 0, __ATOMIC_RELAXED);
  return ran;
}

unsigned
gomp_fold_end_own (struct gomp_fold_shares *shares, unsigned me,
		   unsigned long long now)
{
  struct gomp_fold_share *own = &shares->share[me];

  if (__atomic_load_n (&own->begun, __ATOMIC_RELAXED) != 0)
    end_timed (shares, me, now);
  return gomp_fold_count_in (own, now);
}

void
gomp_fold_take_all (struct gomp_fold_share *share, unsigned *first,
		    unsigned *end)
{
  unsigned long word = __atomic_exchange_n (&share->word, 0, __ATOMIC_ACQUIRE);

  *first = gomp_fold_front (word);
  *end = gomp_fold_end (word);
  if (*first > *end)
    *first = *end;
}

void
gomp_fold_hand_out (struct gomp_fold_shares *shares,
		    struct gomp_fold_dealt *dealt, unsigned home,
		    unsigned long long now)
{
  float fastest = dealt->slow[home];

  for (unsigned w = 0; w < gomp_fold_sharers (shares); w++)
    if (dealt->slow[w] < fastest)
      fastest = dealt->slow[w];
  __atomic_store_n (&shares->home, home, __ATOMIC_RELAXED);
  __atomic_store_n (&shares->began, now, __ATOMIC_RELAXED);
  __atomic_store_n (&shares->dealt, dealt, __ATOMIC_RELEASE);
  for (unsigned w = 0; w < gomp_fold_sharers (shares); w++)
    {
      struct gomp_fold_share *share = &shares->share[w];

      /* A worker without ids finds out what it needs if it steals.  */
      if (dealt->first[w] == dealt->first[w + 1])
	continue;
      share->ran = 0;
      __atomic_store_n (&share->manner,
			fastest == 0 || dealt->slow[w] > fastest
			? GOMP_FOLD_LEAVES : GOMP_FOLD_TAKES,
			__ATOMIC_RELAXED);
      store_float (&share->slow, dealt->slow[w]);
    }
  shares->share[home].ran = shares->share[home].uncounted = 1;
  /* From the first of these on any thread may take an id, and write its
     statistics.  */
  for (unsigned w = 0; w < gomp_fold_sharers (shares); w++)
    if (dealt->first[w] < dealt->first[w + 1])
      __atomic_store_n (&shares->share[w].word,
			((unsigned long) dealt->first[w] + (w == home))
			<< GOMP_FOLD_HALF | dealt->first[w + 1],
			__ATOMIC_RELEASE);
}

bool
gomp_fold_revoke_share (struct gomp_fold_share *share, bool revoked)
{
  unsigned char bit = GOMP_FOLD_REVOKED;

  if (((manner_of (share) & bit) != 0) == revoked)
    return false;
  if (revoked)
    __atomic_fetch_or (&share->manner, bit, __ATOMIC_RELAXED);
  else
    __atomic_fetch_and (&share->manner, (unsigned char) ~bit,
			__ATOMIC_RELAXED);
  return true;
}

void
gomp_fold_run_first (struct gomp_fold_shares *shares, unsigned home,
		     unsigned long long now)
{
  struct gomp_fold_share *share = &shares->share[home];

  share->first_ns = now;
  if (gomp_fold_timed (shares))
    begin_timed (shares->dealt, share, shares->dealt->first[home], now);
}

struct gomp_fold_shares
gomp_fold_make_shares (unsigned workers)
{
  struct gomp_fold_shares shares = { .workers = workers };
  size_t size = workers * sizeof *shares.share;

  shares.share = aligned_alloc (__alignof__ (*shares.share), size);
  if (shares.share != NULL)
    memset (shares.share, 0, size);
  return shares;
}

void
gomp_fold_free_shares (struct gomp_fold_shares *shares)
{
  free (shares->share);
  shares->share = NULL;
}
