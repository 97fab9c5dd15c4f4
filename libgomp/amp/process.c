/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The start and the end of the process: a list each of the parts of the library
   that begin and end there.  The order counts, and each line says why.

   What is not in these lists happens when it is first needed: the machine is
   found, a tool is started (ompt-start.c), folded teams, their watching thread
   and counter files are made.  */

#define _GNU_SOURCE 1
#include "libgomp.h"
#include "base/exit.h"
#include "base/fork-lock.h"
#include "base/other-runtimes.h"
#include "fold/fold-count.h"
#include "fold/fold-move.h"
#include "fold/fold-region.h"
#include "machine/cpu.h"
#include "process.h"

static void
end (void)
{
  /* First, since the time of the other calls would count as the program's.  */
  gomp_event_finish ();
  /* While all that it may ask for is there.  A user's tool has ended before the
     destructors of libraries (gomp_ompt_start).  */
  gomp_ompt_finalize ();
  /* The rest is independent of each other.  What one reports follows what the
     process has run on.  */
  gomp_up_finish ();
  gomp_amp_name_later_runtimes ();
  gomp_fold_report ();
  gomp_fold_finish ();
  gomp_amp_save_factors ();
}

void
gomp_amp_process_starts (void)
{
  /* Before any other code of the program registers handlers, and before there
     is a lock to take.  */
  gomp_amp_watch_forks ();
  gomp_amp_end_by (end);
  /* Before upstream reads OMP_SCHEDULE, which may have one of our kinds; all
     below asks for options.  */
  gomp_amp_init_options ();
  gomp_amp_wants_sites = gomp_amp_sites_matter = gomp_amp_offline ();
  gomp_event_start ();
}

bool
gomp_amp_process_set_up (bool explicit_binding)
{
  /* The mask of the process, which the machine is asked about.  */
  gomp_amp_init_cpu ();
  gomp_amp_init_affinity (explicit_binding);
  /* Asks whether threads are bound.  */
  gomp_fold_init ();
  gomp_up_init ();
  gomp_ompt_init ();

  /* The tests that features share, so that all of them cost one.  */
  gomp_amp_moments_on = gomp_fold_on || gomp_up_on || gomp_ompt_on;
  gomp_amp_sites_matter |= gomp_fold_on || gomp_ompt_on;
  /* Loops and folded teams measure, and do not know for whom.  */
  if (gomp_up_on)
    {
      gomp_aid_measured = gomp_up_factors;
      gomp_fold_batch_begins = gomp_up_batch_begins;
      gomp_fold_batch_ends = gomp_up_batch_ends;
    }
  gomp_amp_routed_options = (gomp_amp_options.schedule.kind != 0
			     || gomp_ompt_on);
  gomp_amp_timed_tasks = gomp_amp_locks_on = (gomp_amp_fifo_p ()
					      || gomp_ompt_on);

  /* Folded teams have no places.  */
  return gomp_amp_make_places (gomp_fold_on);
}
