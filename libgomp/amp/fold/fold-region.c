/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Remembers and reports how regions are run.  */

#include "fold/fold-region.h"
#include "base/message.h"
#include "fold/fold-context.h"
#include "fold/fold-module.h"
#include "sites/site-function.h"
#include "sites/sites.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const struct gomp_fold_reason gomp_fold_reasons[] =
  {
#define GOMP_FOLD_WHY(name, how, key, text) { GOMP_FOLD_##how, key, text },
#include "fold/fold-why.def"
#undef GOMP_FOLD_WHY
  };

/* How many regions are folded no longer.  */
static unsigned unfolded;

/* All regions, the last one first.  */
static const struct gomp_fold_region *all;

/* The process that reports them at its end.  */
static pid_t reporting_process;

/* Note why REGION, which FN is, runs as it does.  */

static void
decide (struct gomp_fold_region *region, gomp_fold_region_fn fn)
{
  unsigned known = __atomic_load_n (&region->why, __ATOMIC_RELAXED);
  unsigned why = GOMP_FOLD_PLAIN;
  /* Before the module is looked at: one that is unloaded later is looked at
     again.  */
  unsigned long unloads = gomp_amp_known_unloads ();
  const char *import = gomp_fold_kernel_import (fn);

  __atomic_store_n (&region->unloads, unloads, __ATOMIC_RELAXED);
  __atomic_store_n (&region->import, import, __ATOMIC_RELAXED);
  if (gomp_fold_no_contexts () != NULL)
    why = GOMP_FOLD_NO_CONTEXTS;
  else if (import != NULL)
    why = GOMP_FOLD_SPEAKS_OF_THREAD;
  /* The watching thread may unfold it meanwhile, which lasts.  */
  while (known != GOMP_FOLD_UNFOLDED
	 && !__atomic_compare_exchange_n (&region->why, &known, why, true,
					  __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    continue;
}

/* What is known of the region FN, which is at SITE.  NULL if memory is
   short.  */

static struct gomp_fold_region * __attribute__ ((noinline))
make_region (struct gomp_amp_site *site, gomp_fold_region_fn fn)
{
  struct gomp_fold_region *region = calloc (1, sizeof *region), *other;

  if (region == NULL)
    return NULL;
  region->site = site;
  decide (region, fn);
  other = gomp_amp_publish_record (site, GOMP_AMP_SITE_REGION, region);
  if (other != region)
    {
      free (region);
      return other;
    }
  /* Release: gomp_fold_report reads the record.  */
  region->next = __atomic_load_n (&all, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n (&all, &region->next, region, true,
				       __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    continue;
  return region;
}

struct gomp_fold_region *
gomp_fold_seen_region (gomp_fold_region_fn fn)
{
  struct gomp_amp_site *site = gomp_amp_find_site ((const void *) fn);
  struct gomp_fold_region *region
    = site != NULL ? gomp_amp_site_record (site, GOMP_AMP_SITE_REGION) : NULL;

  return region != NULL || site == NULL ? region : make_region (site, fn);
}

struct gomp_fold_region *
gomp_fold_find_region (gomp_fold_region_fn fn)
{
  /* A module may have been unloaded, and this be another one.  */
  struct gomp_amp_site *site
    = gomp_amp_check_site (gomp_amp_find_site ((const void *) fn),
			   (const void *) fn);
  struct gomp_fold_region *region;

  if (site == NULL)
    return NULL;
  region = gomp_amp_site_record (site, GOMP_AMP_SITE_REGION);
  if (region == NULL)
    return make_region (site, fn);
  /* The same name may be another module's.  */
  if (__builtin_expect (__atomic_load_n (&region->unloads, __ATOMIC_RELAXED)
			!= gomp_amp_known_unloads (), 0))
    decide (region, fn);
  return region;
}

enum gomp_fold_mode
gomp_fold_mode_of (const struct gomp_fold_region *region)
{
  switch (gomp_fold_reasons[__atomic_load_n (&region->why,
					     __ATOMIC_RELAXED)].how)
    {
    case GOMP_FOLD_IS_CARRIED:
      return GOMP_FOLD_CARRIED;
    case GOMP_FOLD_IS_APART:
      return GOMP_FOLD_APART;
    default:
      return GOMP_FOLD_FREE;
    }
}

void
gomp_fold_note_early (struct gomp_fold_region *region, unsigned count)
{
  __atomic_store_n (&region->early, region->early + count, __ATOMIC_RELAXED);
}

bool
gomp_fold_note_unfolded (struct gomp_fold_region *region)
{
  if (__atomic_exchange_n (&region->why, GOMP_FOLD_UNFOLDED, __ATOMIC_RELAXED)
      != GOMP_FOLD_UNFOLDED)
    __atomic_fetch_add (&unfolded, 1, __ATOMIC_RELAXED);
  return (__atomic_load_n (&unfolded, __ATOMIC_RELAXED)
	  < GOMP_FOLD_MOST_UNFOLDED);
}

void
gomp_fold_report_at_end (void)
{
  reporting_process = getpid ();
}

void
gomp_fold_report (void)
{
  static const char *const how[] =
    {
      [GOMP_FOLD_IS_CARRIED] = "folded",
      [GOMP_FOLD_IS_APART] = "folded by the kernel",
      [GOMP_FOLD_NOT_FOLDED] = "not folded any more",
    };

  if (getpid () != reporting_process)
    return;
  for (const struct gomp_fold_region *region
	 = __atomic_load_n (&all, __ATOMIC_ACQUIRE);
       region != NULL; region = region->next)
    {
      unsigned why = __atomic_load_n (&region->why, __ATOMIC_RELAXED);
      const struct gomp_fold_reason *reason = &gomp_fold_reasons[why];
      unsigned long early = __atomic_load_n (&region->early, __ATOMIC_RELAXED);
      char text[GOMP_AMP_SITE_TEXT], woken[64] = "";
      bool named = why == GOMP_FOLD_SPEAKS_OF_THREAD;
      const char *import
	= named ? __atomic_load_n (&region->import, __ATOMIC_RELAXED) : "";

      if (early != 0)
	snprintf (woken, sizeof woken, "; %lu thread%s picked up early", early,
		  early == 1 ? " was" : "s were");
      gomp_error ("region %s is %s: %s%s%s%s",
		  gomp_amp_describe_site (region->site, text),
		  how[reason->how], reason->text, named ? ": " : "",
		  import, woken);
    }
}
