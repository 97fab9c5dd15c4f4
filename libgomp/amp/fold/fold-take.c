/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Takes ids of a called region.  The rules are in fold-take.h.  */

#include "fold/fold-take.h"
#include <stdlib.h>
#include <string.h>

/* What a worker sees of the others.  */
struct look
{
  /* The worker that would end last, or -1 if no share has an id; its word, and
     when it would end.  */
  int victim;
  unsigned long word;
  double end;
  /* The ids that have not begun, and how many of them the other workers would
     end by the time at which the caller would end one.  */
  unsigned left;
  double others;
};

static inline unsigned long
first_of (unsigned long word)
{
  return word >> GOMP_FOLD_HALF;
}

static inline unsigned long
end_of (unsigned long word)
{
  return word & ((1UL << GOMP_FOLD_HALF) - 1);
}

/* The number of ids in WORD.  */

static inline unsigned
count_of (unsigned long word)
{
  unsigned long first = first_of (word), end = end_of (word);

  return first < end ? end - first : 0;
}

/* Change SHARE from WORD to CHANGED.  Returns whether it was WORD.  */

static inline bool
change (struct gomp_fold_share *share, unsigned long word,
	unsigned long changed)
{
  return __atomic_compare_exchange_n (&share->word, &word, changed, false,
				      __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* The owner of SHARE has taken an id at NOW, which may be 0 after an id that is
   not timed.  */

static inline void
begin (struct gomp_fold_share *share, unsigned long long now)
{
  if (share->ran == 0)
    share->first_ns = now;
  if (gomp_fold_timed (share))
    {
      share->since_ns = now;
      __atomic_store_n (&share->begun, now, __ATOMIC_RELAXED);
    }
  else if (share->uncounted == 0)
    share->since_ns = now;
  /* It ends before the owner comes back.  */
  share->ran++;
  share->uncounted++;
}

/* The timed id that the owner of SHARE ran ended at NOW.  */

static void
end_timed (struct gomp_fold_share *share, unsigned long long now)
{
  unsigned long ns = now - share->since_ns;
  unsigned long expected = __atomic_load_n (&share->id_ns, __ATOMIC_RELAXED);

  share->busy_ns += now - share->since_ns;
  __atomic_store_n (&share->begun, 0, __ATOMIC_RELAXED);
  if (expected == 0)
    expected = ns;
  else
    expected += (long) (ns - expected) / 4;
  __atomic_store_n (&share->id_ns, expected != 0 ? expected : 1,
		    __ATOMIC_RELAXED);
}

/* In how many nanoseconds from NOW the owner of SHARE, which needs ID_NS for an
   id, will be done with its present one.  One that takes longer than expected
   is expected to go on for as long as it is late.  */

static inline double
rest_of (const struct gomp_fold_share *share, double id_ns,
	 unsigned long long now)
{
  unsigned long begun = __atomic_load_n (&share->begun, __ATOMIC_RELAXED);
  double rest;

  if (begun == 0)
    return 0;
  rest = id_ns - (long) ((unsigned long) now - begun);
  return rest > 0 ? rest : -rest;
}

/* Look at all shares as worker ME does at NOW.  */

static struct look
look_around (const struct gomp_fold_shares *shares, unsigned me,
	     unsigned long long now)
{
  struct look look = { .victim = -1 };
  bool timed = gomp_fold_timed (&shares->share[me]);
  double mine = __atomic_load_n (&shares->share[me].id_ns, __ATOMIC_RELAXED);

  for (unsigned w = 0; w < shares->workers; w++)
    {
      const struct gomp_fold_share *share = &shares->share[w];
      unsigned long word = __atomic_load_n (&share->word, __ATOMIC_RELAXED);
      double id_ns = __atomic_load_n (&share->id_ns, __ATOMIC_RELAXED);
      unsigned count = count_of (word);
      double rest = 0, end;

      if (id_ns == 0)
	id_ns = mine != 0 ? mine : 1;
      if (timed)
	{
	  rest = rest_of (share, id_ns, now);
	  /* A worker that runs no id might never come.  */
	  if (w != me && mine > rest
	      && __atomic_load_n (&share->begun, __ATOMIC_RELAXED) != 0)
	    look.others += (unsigned) ((mine - rest) / id_ns);
	}
      if (count == 0)
	continue;
      look.left += count;
      end = rest + count * id_ns;
      if (look.victim < 0 || end > look.end)
	{
	  look.victim = w;
	  look.word = word;
	  look.end = end;
	}
    }
  return look;
}

/* Whether the others end all ids by the time at which the one that looked would
   end one.  */

static inline bool
leaves (const struct look *look)
{
  return look->left != 0 && look->others >= look->left;
}

/* Take an id out of another worker's share.  */

static unsigned
steal (struct gomp_fold_shares *shares, unsigned me, unsigned long long now)
{
  for (;;)
    {
      struct look look = look_around (shares, me, now);

      if (look.victim < 0)
	return GOMP_FOLD_NO_ID;
      if (leaves (&look))
	return GOMP_FOLD_LATER;
      /* The last one: END - 1.  */
      if (change (&shares->share[look.victim], look.word, look.word - 1))
	{
	  begin (&shares->share[me], now);
	  return end_of (look.word) - 1;
	}
    }
}

unsigned
gomp_fold_take (struct gomp_fold_shares *shares, unsigned me,
		unsigned long long now)
{
  struct gomp_fold_share *own = &shares->share[me];
  unsigned long word;

  if (__atomic_load_n (&own->begun, __ATOMIC_RELAXED) != 0)
    end_timed (own, now);
  for (;;)
    {
      unsigned count;

      word = __atomic_load_n (&own->word, __ATOMIC_RELAXED);
      count = count_of (word);
      if (count == 0)
	return steal (shares, me, now);
      if (__builtin_expect (count < __atomic_load_n (&own->sure,
						     __ATOMIC_RELAXED), 0))
	{
	  struct look look = look_around (shares, me, now);

	  if (leaves (&look))
	    return GOMP_FOLD_LATER;
	}
      if (change (own, word, word + (1UL << GOMP_FOLD_HALF)))
	break;
    }
  begin (own, now);
  return first_of (word);
}

unsigned
gomp_fold_count_in (struct gomp_fold_share *share, unsigned long long now)
{
  unsigned ran = share->uncounted;

  if (ran == 0)
    return 0;
  if (!gomp_fold_timed (share))
    share->busy_ns += now - share->since_ns;
  share->last_ns = now;
  share->uncounted = 0;
  return ran;
}

void
gomp_fold_take_all (struct gomp_fold_share *share, unsigned *first,
		    unsigned *end)
{
  unsigned long word = __atomic_exchange_n (&share->word, 0, __ATOMIC_ACQUIRE);

  *first = first_of (word);
  *end = *first + count_of (word);
}

/* With how many ids left worker ME is sure to take one: the others need longer
   for so many than ME for one.  */

static unsigned
sure_of (const struct gomp_fold_shares *shares, const double *id_ns,
	 unsigned me, unsigned ids)
{
  double others = 0;
  bool fastest = true;

  for (unsigned w = 0; w < shares->workers; w++)
    {
      if (id_ns[w] == 0)
	return ids + 1;
      if (w != me)
	others += id_ns[me] / id_ns[w];
      fastest &= id_ns[me] <= id_ns[w];
    }
  if (fastest)
    return 0;
  return others < ids ? (unsigned) others + 1 : ids + 1;
}

void
gomp_fold_deal (struct gomp_fold_shares *shares, const unsigned *first,
		const double *id_ns, bool timed, unsigned home)
{
  unsigned ids = first[shares->workers];

  for (unsigned w = 0; w < shares->workers; w++)
    {
      struct gomp_fold_share *share = &shares->share[w];
      unsigned sure = timed ? sure_of (shares, id_ns, w, ids) : 0;

      share->ran = share->uncounted = w == home;
      share->busy_ns = 0;
      /* Its last id may have become a thread.  */
      __atomic_store_n (&share->begun, 0, __ATOMIC_RELAXED);
      __atomic_store_n (&share->id_ns, (unsigned long) id_ns[w],
			__ATOMIC_RELAXED);
      __atomic_store_n (&share->sure, sure, __ATOMIC_RELAXED);
      __atomic_store_n (&share->timed, timed, __ATOMIC_RELAXED);
    }
  /* From the first of these on any thread may take an id, and write its
     statistics.  */
  for (unsigned w = 0; w < shares->workers; w++)
    __atomic_store_n (&shares->share[w].word,
		      (unsigned long) (first[w] + (w == home))
		      << GOMP_FOLD_HALF | first[w + 1],
		      __ATOMIC_RELEASE);
}

struct gomp_fold_shares
gomp_fold_make_shares (unsigned workers)
{
  struct gomp_fold_shares shares = { workers, NULL };
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
