/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* How regions are run, and why.  A region is known by its outlined function.

   The ids of a region are carried, unless its module speaks of the kernel's
   threads (fold-module.h) or the system does not let the library carry them:
   then each keeps its kernel thread, which is bound to the core of its worker.
   A region that loses too much time (fold-lost.h) is unfolded.  */

#ifndef GOMP_AMP_FOLD_REGION_H
#define GOMP_AMP_FOLD_REGION_H 1

#include <stdbool.h>
#include "fold/fold-carry.h"
#include "fold/fold-lost.h"
#include "base/width.h"

#pragma GCC visibility push(hidden)

typedef void (*gomp_fold_region_fn) (void *);

/* How a region is run.  */
enum gomp_fold_how
{
  GOMP_FOLD_IS_CARRIED,
  GOMP_FOLD_IS_APART,
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

/* Never freed.  */
struct gomp_fold_region
{
  struct gomp_amp_site *site;
  const struct gomp_fold_region *next;
  /* Shared and atomic, all relaxed.  WHY: enum gomp_fold_why.  IMPORT: the name
     that speaks of the kernel's threads, or NULL.  EARLY: how many of its ids
     were picked up early, because others did not go on.  */
  unsigned why;
  const char *import;
  unsigned long early;
  /* How many modules had been unloaded when WHY was decided.  Shared as those:
     several pools may start the region.  */
  unsigned long unloads;
  /* BUSY, shared and atomic: a thread uses WIDTHS.  */
  bool busy;
  struct gomp_widths widths;
  /* For the watching thread.  */
  struct gomp_fold_lost lost;
};

/* What is known of the region FN, which the calling thread is about to start.
   NULL if memory is short.  */
extern struct gomp_fold_region *gomp_fold_find_region (gomp_fold_region_fn fn);

/* How REGION is to be run.  */
extern enum gomp_fold_mode
gomp_fold_mode_of (const struct gomp_fold_region *region);

/* The rest is for the watching thread.  What is known of the region FN, without
   asking the loader if anything is.  NULL if memory is short.  */
extern struct gomp_fold_region *gomp_fold_seen_region (gomp_fold_region_fn fn);

/* COUNT ids of REGION were picked up early.  */
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
