/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The end of the process: the only destructor of the fork.  */

#include "base/events.h"
#include "fold/fold-count.h"
#include "fold/fold-verdict.h"
#include "watch/watch.h"
#include "show/other-runtimes.h"
#include "sites/sf-file.h"

static void __attribute__ ((destructor))
finish (void)
{
  /* First, since the time of the other calls would count as the program's.  */
  gomp_event_finish ();
  gomp_watch_finish ();
  gomp_amp_name_later_runtimes ();
  gomp_fold_report ();
  gomp_fold_finish ();
  gomp_amp_save_factors ();
}
