/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Remembers and reports regions whose ids wait for each other outside of
   libgomp.  */

#include "fold/fold-verdict.h"
#include "fold/fold-region.h"
#include "base/clock.h"
#include "base/fork-lock.h"
#include "base/message.h"
#include "sites/site-function.h"
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
  /* A trial goes on.  Changed under GOMP_AMP_LOCK_VERDICTS, as all that
     follows.  */
  bool trying;
  /* The pool of the trial; never followed.  */
  const void *pool;
  /* Runs with early wakes since the last trial began, but for its own, and how
     many of them the next trial waits for.  */
  unsigned woken, wait;
  /* The runs of the trial, and in ns the shortest folded one and the longest
     other one.  */
  unsigned folded, others;
  unsigned long long least, most;
};

unsigned gomp_fold_unfolded;
unsigned gomp_fold_suspects;

/* All records, the last one first.  Written by the thread that watches.  */
static const struct verdict *verdicts;

/* The process that prints them at its end.  */
static pid_t reporting_process;

/* The record of the region FN; NULL if it has none, or if another module was
   loaded to its place.  */

static struct verdict *
find_verdict (gomp_fold_region_fn fn)
{
  struct gomp_amp_site *site = gomp_amp_find_site ((const void *) fn);
  struct verdict *verdict;

  if (site == NULL)
    return NULL;
  verdict = gomp_amp_site_record (site, GOMP_AMP_SITE_FOLD);
  /* Only what is slow anyway asks whether a module was unloaded.  */
  return (verdict != NULL
	  && gomp_amp_check_site (site, (const void *) fn) == site
	  ? verdict : NULL);
}

bool
gomp_fold_look_up_unfolded (gomp_fold_region_fn fn)
{
  const struct verdict *verdict = find_verdict (fn);

  return (verdict != NULL
	  && __atomic_load_n (&verdict->unfolded, __ATOMIC_RELAXED));
}

/* True or false, by no pattern that a program has.  Relaxed: two threads may
   get the same.  */

static bool
toss (void)
{
  static unsigned seed = 1;
  unsigned next = (__atomic_load_n (&seed, __ATOMIC_RELAXED) * 1103515245
		   + 12345);

  __atomic_store_n (&seed, next, __ATOMIC_RELAXED);
  return next >> 16 & 1;
}

bool
gomp_fold_begin_suspect (gomp_fold_region_fn fn, const void *pool,
			 unsigned long long *began)
{
  const struct verdict *verdict = find_verdict (fn);

  *began = 0;
  if (verdict == NULL)
    return true;
  if (__atomic_load_n (&verdict->unfolded, __ATOMIC_RELAXED))
    return false;
  *began = gomp_amp_clock ();
  return (!__atomic_load_n (&verdict->trying, __ATOMIC_RELAXED)
	  || __atomic_load_n (&verdict->pool, __ATOMIC_RELAXED) != pool
	  || toss ());
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
  verdict->wait = GOMP_FOLD_FIRST_TRIAL;
  gomp_amp_publish_record (site, GOMP_AMP_SITE_FOLD, verdict);
  /* Release: gomp_fold_report reads the record.  */
  __atomic_store_n (&verdicts, verdict, __ATOMIC_RELEASE);
  __atomic_store_n (&gomp_fold_suspects, gomp_fold_suspects + 1,
		    __ATOMIC_RELAXED);
  return verdict;
}

/* Count a run of POOL with early wakes, which belongs to no trial.  */

static void
count_woken (struct verdict *verdict, const void *pool)
{
  if (++verdict->woken < (verdict->trying ? GOMP_FOLD_OTHER_POOL
			  : verdict->wait))
    return;
  __atomic_store_n (&verdict->pool, pool, __ATOMIC_RELAXED);
  verdict->woken = verdict->folded = verdict->others = 0;
  verdict->least = -1ULL;
  verdict->most = 0;
  __atomic_store_n (&verdict->trying, true, __ATOMIC_RELAXED);
}

/* Count a run of NS in a trial.  Returns whether the trial has shown that the
   region is not to be folded.  */

static bool
count_tried (struct verdict *verdict, unsigned long long ns, bool folded,
	     bool woken)
{
  bool fits = !folded || woken;

  if (folded)
    {
      verdict->folded++;
      if (ns < verdict->least)
	verdict->least = ns;
    }
  else
    {
      verdict->others++;
      if (ns > verdict->most)
	verdict->most = ns;
    }
  fits &= verdict->most < verdict->least / 2;
  if (fits && (verdict->folded < GOMP_FOLD_TRIAL_RUNS
	       || verdict->others < GOMP_FOLD_TRIAL_RUNS))
    return false;
  __atomic_store_n (&verdict->trying, false, __ATOMIC_RELAXED);
  verdict->woken = 0;
  if (verdict->wait < GOMP_FOLD_LAST_TRIAL)
    verdict->wait *= 4;
  return fits;
}

bool
gomp_fold_end_run (gomp_fold_region_fn fn, const void *pool,
		   unsigned long long began, bool folded, bool woken)
{
  struct verdict *verdict = find_verdict (fn);
  unsigned long long ns = gomp_amp_clock () - began;
  bool judged = false;

  if (verdict == NULL)
    return true;
  gomp_amp_acquire (GOMP_AMP_LOCK_VERDICTS);
  if (verdict->trying && verdict->pool == pool)
    judged = count_tried (verdict, ns, folded, woken);
  else if (folded && woken)
    count_woken (verdict, pool);
  gomp_amp_release (GOMP_AMP_LOCK_VERDICTS);
  return !judged || gomp_fold_note_unfolded (fn);
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
  if (!__atomic_exchange_n (&verdict->unfolded, true, __ATOMIC_RELAXED))
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
  if (getpid () != reporting_process)
    return;
  for (const struct verdict *verdict
	 = __atomic_load_n (&verdicts, __ATOMIC_ACQUIRE);
       verdict != NULL; verdict = verdict->next)
    {
      char text[GOMP_AMP_SITE_TEXT];
      unsigned long early = __atomic_load_n (&verdict->early, __ATOMIC_RELAXED);
      bool unfolded = __atomic_load_n (&verdict->unfolded, __ATOMIC_RELAXED);

      gomp_error ("folded region %s: %lu thread%s woken early; %s",
		  gomp_amp_describe_site (verdict->site, text), early,
		  early == 1 ? " was" : "s were",
		  unfolded ? "it is not folded any more because its threads"
			     " wait for each other outside of OpenMP"
			   : "it stays folded");
    }
  gomp_fold_report_regions ();
}
