/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Keeps what pools know of called regions, within bounds.  The rules are in
   fold-known.h.  */

#define _GNU_SOURCE 1
#include <stdlib.h>
#include "fold/fold-known.h"
#include "fold/fold-move.h"
#include "fold/fold-region.h"

/* A pool begins with so many lists, and has twice as many each time that it
   knows more regions than lists.  */
#define FIRST_BITS 4
#define MOST_BITS 16

/* About the bytes that all pools and deals take.  Atomic, relaxed.  */
static unsigned long spent;

/* Account for BYTES.  Returns false if that is too much.  */

static bool
spend (unsigned long bytes)
{
  /* What is over the bound costs no exclusive cache line.  */
  if (__atomic_load_n (&spent, __ATOMIC_RELAXED) + bytes > GOMP_FOLD_MOST_KNOWN)
    return false;
  __atomic_fetch_add (&spent, bytes, __ATOMIC_RELAXED);
  return true;
}

static void
give_back (unsigned long bytes)
{
  __atomic_fetch_sub (&spent, bytes, __ATOMIC_RELAXED);
}

/* Have KNOWNS have 1 << BITS lists.  Returns false if memory is short: then all
   is as it was.  */

static bool
have_lists (struct gomp_fold_knowns *knowns, unsigned bits)
{
  struct gomp_fold_knowns more
    = { .list = calloc (1u << bits, sizeof *more.list), .bits = bits,
	.count = knowns->count };

  if (more.list == NULL)
    return false;
  for (unsigned i = 0; knowns->list != NULL && i < 1u << knowns->bits; i++)
    while (knowns->list[i] != NULL)
      {
	struct gomp_fold_known *known = knowns->list[i];
	struct gomp_fold_known **list
	  = gomp_fold_known_list (&more, known->fn);

	knowns->list[i] = known->next;
	known->next = *list;
	*list = known;
      }
  free (knowns->list);
  *knowns = more;
  return true;
}

/* A new one, in no list.  */

static struct gomp_fold_known *
make_known (gomp_fold_region_fn fn, unsigned ids,
	    const struct gomp_fold_team *team)
{
  /* NULL each time if there are too many regions.  */
  struct gomp_fold_region *region = gomp_fold_find_region (fn);
  struct gomp_fold_known *known
    = region != NULL ? calloc (1, sizeof *known) : NULL;

  if (known == NULL)
    return NULL;
  known->fn = fn;
  known->ids = ids;
  known->workers = team->workers;
  known->home = team->home;
  known->region = region;
  gomp_amp_note_object (&known->object, (const void *) fn);
  return known;
}

struct gomp_fold_known * __attribute__ ((noinline))
gomp_fold_add_known (struct gomp_fold_knowns *knowns, gomp_fold_region_fn fn,
		     unsigned ids, const struct gomp_fold_team *team)
{
  struct gomp_fold_known *known, **list;

  if (!spend (sizeof *known))
    return NULL;
  known = ((knowns->list != NULL || have_lists (knowns, FIRST_BITS))
	   ? make_known (fn, ids, team) : NULL);
  if (known == NULL)
    {
      give_back (sizeof *known);
      return NULL;
    }
  knowns->count++;
  if (knowns->count > 1u << knowns->bits && knowns->bits < MOST_BITS)
    have_lists (knowns, knowns->bits + 1);
  list = gomp_fold_known_list (knowns, fn);
  for (const struct gomp_fold_known *other = *list; other != NULL;
       other = other->next)
    known->ran |= other->fn == fn && other->ids >= ids && other->ran;
  known->next = *list;
  *list = known;
  return known;
}

void
gomp_fold_know_again (struct gomp_fold_known *known)
{
  struct gomp_fold_region *region = gomp_fold_find_region (known->fn);

  if (region != known->region)
    known->deal = NULL;
  known->region = region;
  gomp_amp_note_object (&known->object, (const void *) known->fn);
  known->ran = false;
}

void
gomp_fold_free_knowns (struct gomp_fold_knowns *knowns)
{
  for (unsigned i = 0; knowns->list != NULL && i < 1u << knowns->bits; i++)
    while (knowns->list[i] != NULL)
      {
	struct gomp_fold_known *known = knowns->list[i];

	knowns->list[i] = known->next;
	free (known->object.name);
	free (known);
	give_back (sizeof *known);
      }
  free (knowns->list);
  knowns->list = NULL;
}

/* Take a deal of KNOWN's region for IDS ids that no pool has.  NULL if there is
   none.  */

static struct gomp_fold_deal *
take_other (const struct gomp_fold_known *known)
{
  /* Acquire: what is constant of all deals.  */
  for (struct gomp_fold_deal *deal
	 = __atomic_load_n (&known->region->deals, __ATOMIC_ACQUIRE);
       deal != NULL; deal = deal->next)
    if (deal->ids == known->ids && deal->workers == known->workers
	&& deal->home == known->home && gomp_fold_try_deal (deal))
      return deal;
  return NULL;
}

/* A new deal for KNOWN's region, of workers of this SPEED, which the calling
   thread has taken.  */

static struct gomp_fold_deal *
add_deal (const struct gomp_fold_known *known, const double *speed)
{
  unsigned long size = gomp_fold_deal_size (known->ids, known->workers);
  struct gomp_fold_deal *deal, **deals = &known->region->deals;

  if (!spend (size))
    return NULL;
  deal = gomp_fold_make_deal (known->ids, known->workers, known->home, speed);
  if (deal == NULL)
    {
      give_back (size);
      return NULL;
    }
  deal->busy = true;
  deal->next = __atomic_load_n (deals, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n (deals, &deal->next, deal, true,
				       __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    continue;
  return deal;
}

struct gomp_fold_deal * __attribute__ ((noinline))
gomp_fold_find_deal (const struct gomp_fold_pool *fold,
		     struct gomp_fold_known *known,
		     const struct gomp_fold_team *team)
{
  struct gomp_fold_deal *deal = take_other (known);
  double *speed;

  if (deal == NULL || deal->allowed != team->allowed)
    {
      speed = gomp_fold_known_speeds (fold, team->workers, team->allowed);
      if (speed == NULL)
	{
	  if (deal != NULL)
	    gomp_fold_give_deal (deal);
	  return NULL;
	}
      if (deal != NULL)
	gomp_fold_restart_deal (deal, speed);
      else
	deal = add_deal (known, speed);
      free (speed);
      if (deal != NULL)
	deal->allowed = team->allowed;
    }
  known->deal = deal;
  return deal;
}
