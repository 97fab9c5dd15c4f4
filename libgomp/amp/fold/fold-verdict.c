/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Remembers and reports regions whose ids wait for each other outside of
   libgomp.  */

#include "fold/fold-verdict.h"
#include "base/message.h"
#include "sites/sites.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A site's record.  Never freed.  */
struct verdict
{
  const struct gomp_amp_site *site;
  const struct verdict *next;
  unsigned long early;
  struct gomp_fold_cases cases;
  bool unfolded;
};

unsigned gomp_fold_unfolded;

/* All records, the last one first.  Written by the thread that watches.  */
static const struct verdict *verdicts;

/* The process that prints them at its end.  */
static pid_t reporting_process;

bool
gomp_fold_look_up_unfolded (gomp_fold_region_fn fn)
{
  struct gomp_amp_site *site = gomp_amp_find_site ((const void *) fn);
  const struct verdict *verdict;

  if (site == NULL)
    return false;
  verdict = gomp_amp_site_record (site, GOMP_AMP_SITE_FOLD);
  /* Only what is slow anyway asks whether a module was unloaded.  */
  return (verdict != NULL
	  && __atomic_load_n (&verdict->unfolded, __ATOMIC_RELAXED)
	  && gomp_amp_check_site (site, (const void *) fn) == site);
}

/* The record of the region FN.  NULL if memory is short.  */

static struct verdict *
verdict_of (gomp_fold_region_fn fn)
{
  struct gomp_amp_site *site = gomp_amp_site ((const void *) fn);
  struct verdict *verdict;

  if (site == NULL)
    return NULL;
  verdict = gomp_amp_site_record (site, GOMP_AMP_SITE_FOLD);
  if (verdict != NULL)
    return verdict;
  verdict = calloc (1, sizeof *verdict);
  if (verdict == NULL)
    return NULL;
  verdict->site = site;
  verdict->next = verdicts;
  gomp_amp_publish_record (site, GOMP_AMP_SITE_FOLD, verdict);
  /* Release: who reports sees the record.  */
  __atomic_store_n (&verdicts, verdict, __ATOMIC_RELEASE);
  return verdict;
}

void
gomp_fold_note_early (gomp_fold_region_fn fn, unsigned count)
{
  struct verdict *verdict = verdict_of (fn);

  if (verdict != NULL)
    __atomic_store_n (&verdict->early, verdict->early + count,
		      __ATOMIC_RELAXED);
}

struct gomp_fold_cases
gomp_fold_note_case (gomp_fold_region_fn fn, bool helped)
{
  struct verdict *verdict = verdict_of (fn);

  if (verdict == NULL)
    return (struct gomp_fold_cases) { 0, 0 };
  verdict->cases.all++;
  verdict->cases.helped += helped;
  return verdict->cases;
}

bool
gomp_fold_note_unfolded (gomp_fold_region_fn fn)
{
  struct verdict *verdict = verdict_of (fn);

  if (verdict == NULL)
    return false;
  if (!verdict->unfolded)
    {
      __atomic_store_n (&verdict->unfolded, true, __ATOMIC_RELAXED);
      __atomic_store_n (&gomp_fold_unfolded, gomp_fold_unfolded + 1,
			__ATOMIC_RELAXED);
    }
  return gomp_fold_unfolded < GOMP_FOLD_MOST_UNFOLDED;
}

void
gomp_fold_report_at_end (void)
{
  reporting_process = getpid ();
}

void
gomp_fold_report (void)
{
  if (getpid () != reporting_process)
    return;
  for (const struct verdict *verdict
	 = __atomic_load_n (&verdicts, __ATOMIC_ACQUIRE);
       verdict != NULL; verdict = verdict->next)
    {
      const struct gomp_amp_site *site = verdict->site;
      unsigned long early = __atomic_load_n (&verdict->early, __ATOMIC_RELAXED);
      bool unfolded = __atomic_load_n (&verdict->unfolded, __ATOMIC_RELAXED);

      gomp_error ("folded region %s: %lu thread%s woken early; %s",
		  site->name != NULL ? site->name : "of generated code", early,
		  early == 1 ? " was" : "s were",
		  unfolded ? "it is not folded any more because its threads"
			     " wait for each other outside of OpenMP"
			   : "it stays folded");
    }
}
