/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* How regions are run, and why.  A region is known by its outlined function.

   A region that is not known is called from its second run on, unless its
   module keeps state of a thread (fold-module.h): all ids of a worker would
   share it.  If one of its ids waits for others, or changes how its thread
   computes, it is run by turns from then on.  A region that loses too much time
   (fold-lost.h) is not called, and if it loses as much by turns it is
   unfolded.  */

#ifndef GOMP_AMP_FOLD_REGION_H
#define GOMP_AMP_FOLD_REGION_H 1

#include <stdbool.h>
#include "fold/fold-lost.h"

#pragma GCC visibility push(hidden)

typedef void (*gomp_fold_region_fn) (void *);

/* How a region is run.  */
enum gomp_fold_how
{
  GOMP_FOLD_IS_CALLED,
  GOMP_FOLD_BY_TURNS,
  GOMP_FOLD_NOT_FOLDED
};

enum gomp_fold_why
{
#define GOMP_FOLD_WHY(name, how, key, text) GOMP_FOLD_##name,
#include "fold/fold-why.def"
#undef GOMP_FOLD_WHY
};

/* A row of fold-why.def.  */
struct gomp_fold_reason
{
  enum gomp_fold_how how;
  const char *key, *text;
};

/* By enum gomp_fold_why.  */
extern const struct gomp_fold_reason gomp_fold_reasons[];

/* A program is no longer folded at all when this many of its regions were
   unfolded.  */
#define GOMP_FOLD_MOST_UNFOLDED 8

struct gomp_fold_deal;

/* Never freed.  */
struct gomp_fold_region
{
  struct gomp_amp_site *site;
  const struct gomp_fold_region *next;
  /* For fold-known.c: what was learned of it, the last one first.  Atomic.  */
  struct gomp_fold_deal *deals;
  /* Shared and atomic, all relaxed.  WHY: enum gomp_fold_why.  CALLED: runs.
     EARLY: how many of its ids were woken early, or got late threads, because
     others did not go on.  */
  unsigned why;
  unsigned long called, early;
  /* For the watching thread.  */
  struct gomp_fold_lost lost;
};

/* How many regions are folded no longer.  */
extern unsigned gomp_fold_unfolded;

extern bool gomp_fold_look_up_unfolded (gomp_fold_region_fn fn);

/* Whether the region FN is not to be folded.  Relaxed: a region that has just
   been unfolded may start folded once more.  */
static inline bool
gomp_fold_unfolded_p (gomp_fold_region_fn fn)
{
  return (__builtin_expect (__atomic_load_n (&gomp_fold_unfolded,
					     __ATOMIC_RELAXED) != 0, 0)
	  && gomp_fold_look_up_unfolded (fn));
}

/* What is known of the region FN.  NULL if memory is short.  */
extern struct gomp_fold_region *gomp_fold_find_region (gomp_fold_region_fn fn);

/* REGION is run by turns from now on because of WHY.  Called by any thread.  */
extern void gomp_fold_note_turns (struct gomp_fold_region *region,
				  enum gomp_fold_why why);

/* The rest is for the watching thread.  The same as gomp_fold_find_region, but
   without asking the loader if the region is known.  */
extern struct gomp_fold_region *gomp_fold_seen_region (gomp_fold_region_fn fn);

/* COUNT ids of REGION were woken early, or got late threads.  */
extern void gomp_fold_note_early (struct gomp_fold_region *region,
				  unsigned count);

/* REGION is folded no longer.  Returns false if GOMP_FOLD_MOST_UNFOLDED regions
   are: then no region is to be folded.  */
extern bool gomp_fold_note_unfolded (struct gomp_fold_region *region);

/* Report all regions when the process ends, from now on.  */
extern void gomp_fold_report_at_end (void);

/* The process ends: report them.  A child that was forked reports nothing.  */
extern void gomp_fold_report (void);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_REGION_H */
