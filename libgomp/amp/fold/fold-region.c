/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Remembers and reports how regions are run.  */

#include "fold/fold-region.h"
#include "base/message.h"
#include "fold/fold-module.h"
#include "options/options.h"
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

unsigned gomp_fold_unfolded;

/* All regions, the last one first.  */
static const struct gomp_fold_region *all;

/* The process that reports them at its end.  */
static pid_t reporting_process;

/* Whether GOMP_AMP_FOLD_CALLS has FN run by turns because its module keeps
   state of a thread.  */

static bool
keeps_state (gomp_fold_region_fn fn)
{
  return (gomp_amp_options.fold_calls == GOMP_AMP_CALLS_AUTO
	  && gomp_fold_keeps_thread_state (fn));
}

struct gomp_fold_region *
gomp_fold_find_region (gomp_fold_region_fn fn)
{
  struct gomp_amp_site *site
    = gomp_amp_check_site (gomp_amp_find_site ((const void *) fn),
			   (const void *) fn);
  struct gomp_fold_region *region, *other;

  if (site == NULL)
    return NULL;
  region = gomp_amp_site_record (site, GOMP_AMP_SITE_REGION);
  if (region != NULL)
    {
      /* A module of the same name was unloaded: this one may differ.  */
      if (keeps_state (fn))
	gomp_fold_note_turns (region, GOMP_FOLD_HAS_TLS);
      return region;
    }
  region = calloc (1, sizeof *region);
  if (region == NULL)
    return NULL;
  region->site = site;
  if (keeps_state (fn))
    region->why = GOMP_FOLD_HAS_TLS;
  other = gomp_amp_publish_record (site, GOMP_AMP_SITE_REGION, region);
  if (other != region)
    {
      free (region);
      return other;
    }
  /* Release: gomp_fold_report_regions reads the record.  */
  region->next = __atomic_load_n (&all, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n (&all, &region->next, region, true,
				       __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    continue;
  return region;
}

void
gomp_fold_note_turns (struct gomp_fold_region *region, enum gomp_fold_why why)
{
  unsigned leaf = GOMP_FOLD_LEAF;

  __atomic_compare_exchange_n (&region->why, &leaf, why, false,
			       __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

struct gomp_fold_region *
gomp_fold_seen_region (gomp_fold_region_fn fn)
{
  struct gomp_amp_site *site = gomp_amp_find_site ((const void *) fn);
  struct gomp_fold_region *region
    = site != NULL ? gomp_amp_site_record (site, GOMP_AMP_SITE_REGION) : NULL;

  return region != NULL ? region : gomp_fold_find_region (fn);
}

bool
gomp_fold_look_up_unfolded (gomp_fold_region_fn fn)
{
  struct gomp_amp_site *site = gomp_amp_find_site ((const void *) fn);
  const struct gomp_fold_region *region
    = site != NULL ? gomp_amp_site_record (site, GOMP_AMP_SITE_REGION) : NULL;

  /* Only what is slow anyway asks whether a module was unloaded.  */
  return (region != NULL
	  && (__atomic_load_n (&region->why, __ATOMIC_RELAXED)
	      == GOMP_FOLD_UNFOLDED)
	  && gomp_amp_check_site (site, (const void *) fn) == site);
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
    __atomic_fetch_add (&gomp_fold_unfolded, 1, __ATOMIC_RELAXED);
  return (__atomic_load_n (&gomp_fold_unfolded, __ATOMIC_RELAXED)
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
      [GOMP_FOLD_IS_CALLED] = "called",
      [GOMP_FOLD_BY_TURNS] = "run by turns",
      [GOMP_FOLD_NOT_FOLDED] = "not folded any more",
    };

  bool off = gomp_amp_options.fold_calls == GOMP_AMP_CALLS_OFF;

  if (getpid () != reporting_process)
    return;
  for (const struct gomp_fold_region *region
	 = __atomic_load_n (&all, __ATOMIC_ACQUIRE);
       region != NULL; region = region->next)
    {
      const struct gomp_fold_reason *why
	= &gomp_fold_reasons[__atomic_load_n (&region->why, __ATOMIC_RELAXED)];
      unsigned long called = __atomic_load_n (&region->called,
					      __ATOMIC_RELAXED);
      unsigned long early = __atomic_load_n (&region->early, __ATOMIC_RELAXED);
      bool calls = why->how == GOMP_FOLD_IS_CALLED;
      char text[GOMP_AMP_SITE_TEXT], woken[64] = "";

      /* One by turns has a record, too, if it was looked for while it
	 waited.  */
      if (off && calls && early == 0)
	continue;
      if (early != 0)
	snprintf (woken, sizeof woken, "; %lu thread%s woken early", early,
		  early == 1 ? " was" : "s were");
      gomp_error ("region %s is %s: %s; it was called %lu time%s%s",
		  gomp_amp_describe_site (region->site, text),
		  how[calls && called == 0 ? GOMP_FOLD_BY_TURNS : why->how],
		  !calls ? why->text
		  : called == 0 && !off
		  ? "the first run of a region takes turns"
		  : early != 0 ? "its ids lose little by waiting" : why->text,
		  called, called == 1 ? "" : "s", woken);
    }
}
