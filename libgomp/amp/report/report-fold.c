/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* What the report says of folded teams.  */

#include "libgomp.h"
#include "fold/fold-pool.h"
#include "fold/fold-region.h"
#include "fold/fold-setup.h"
#include "machine/machine.h"
#include "report/report-data.h"
#include "sites/sites.h"

enum gomp_report_how
gomp_report_how (unsigned ids, unsigned *places)
{
  struct gomp_thread_pool *pool = gomp_thread ()->thread_pool;
  const struct gomp_fold_pool *fold = (gomp_fold_on && pool != NULL
				       ? pool->amp_fold : NULL);
  const struct gomp_fold_team *team = fold != NULL ? fold->team : NULL;

  if (team == NULL)
    return GOMP_REPORT_THREADS;
  if (fold->called)
    {
      *places = team->workers;
      return GOMP_REPORT_CALLS;
    }
  if (team->ids != ids || __atomic_load_n (&team->disbanded, __ATOMIC_RELAXED))
    return GOMP_REPORT_THREADS;
  *places = team->workers;
  return GOMP_REPORT_TURNS;
}

unsigned
gomp_report_class_of_place (unsigned p)
{
  return (p < gomp_fold_workers.count
	  ? gomp_amp_class_of_cpu (gomp_fold_workers.cpu[p]) : 0);
}

struct gomp_report_why
gomp_report_why_not (const struct gomp_report_site *record)
{
  const struct gomp_amp_site *site = record != NULL ? record->site : NULL;
  const struct gomp_fold_region *region
    = (site != NULL ? gomp_amp_site_record (site, GOMP_AMP_SITE_REGION) : NULL);
  const struct gomp_fold_reason *reason;

  if (!gomp_fold_on)
    return (struct gomp_report_why) { NULL, "", gomp_fold_workers.none };
  if (region == NULL)
    return (struct gomp_report_why) { NULL, "", NULL };
  reason = &gomp_fold_reasons[__atomic_load_n (&region->why, __ATOMIC_RELAXED)];
  switch (reason->how)
    {
    case GOMP_FOLD_IS_CALLED:
      return (struct gomp_report_why) { NULL, "", NULL };
    case GOMP_FOLD_BY_TURNS:
      return (struct gomp_report_why) { reason->key, "not called: ",
					reason->text };
    default:
      return (struct gomp_report_why) { reason->key, "not folded: ",
					reason->text };
    }
}
