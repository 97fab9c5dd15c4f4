/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Decides at start-up whether outermost teams are folded, and shows it.  */

#define _GNU_SOURCE 1
#include "libgomp.h"
#include "base/objects.h"
#include "machine/affinity.h"
#include "fold/fold-follow.h"
#include "fold/fold-setup.h"

bool gomp_fold_on;
bool gomp_amp_moments_on;
struct gomp_fold_plan gomp_fold_workers;

/* The workers that the user asked for, 0 if he did not.  */
static unsigned long asked_workers;

/* Plan for K ids a worker, or GOMP_AMP_AUTO.  */

static void
plan_for (unsigned long k, struct gomp_fold_plan *plan)
{
  bool ascending;

  if (gomp_amp_only_ordered (&ascending))
    gomp_fold_make_plan (k, asked_workers, ascending, plan);
  else
    *plan = (struct gomp_fold_plan)
      {
	.none = "threads are bound by OMP_PROC_BIND, OMP_PLACES or"
		" GOMP_CPU_AFFINITY"
      };
}

void
gomp_fold_init (void)
{
  unsigned long k = gomp_amp_options.fold;
  bool ascending;

  asked_workers = (getenv ("OMP_NUM_THREADS") != NULL
		   ? gomp_global_icv.nthreads_var : 0);
  if (k == 0)
    return;
  plan_for (k, &gomp_fold_workers);
  if (gomp_fold_workers.none != NULL
      && (!gomp_amp_only_ordered (&ascending)
	  || asked_workers > GOMP_FOLD_MOST_WORKERS))
    gomp_error ("GOMP_AMP_FOLD has no effect: %s", gomp_fold_workers.none);
  if (gomp_fold_workers.none == NULL && !gomp_fold_begin_follow ())
    gomp_fold_workers.none
      = "the kernel does not report where the process may run";
  if (gomp_fold_workers.none != NULL)
    return;
  gomp_global_icv.nthreads_var = gomp_fold_workers.ids;
  gomp_managed_threads += GOMP_FOLD_BIAS;
  gomp_amp_init_objects ();
  gomp_fold_on = true;
}

void
gomp_fold_display (FILE *stream)
{
  struct gomp_fold_plan plan;

  fputs ("  LIBGOMP_AMP_FOLD = '", stream);
  if (gomp_amp_options.fold == 0)
    fputs ("off", stream);
  else
    gomp_fold_show_plan (stream, &gomp_fold_workers);
  fputs ("'\n  LIBGOMP_AMP_FOLD_AUTO = '", stream);
  plan_for (GOMP_AMP_AUTO, &plan);
  gomp_fold_show_plan (stream, &plan);
  gomp_fold_free_plan (&plan);
  fputs ("'\n", stream);
}
