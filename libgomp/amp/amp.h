/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Everything that the hooks in upstream's files include and call.

   libgomp.h includes this at its end.  The structures that libgomp.h extends
   are in amp-types.h.  */

#ifndef GOMP_AMP_H
#define GOMP_AMP_H 1

#include "base/events.h"
#include "fold/fold.h"
#include "loops/aid-loop.h"
#include "loops/loop-kind.h"
#include "loops/loop-runtime.h"
#include "loops/sf-file.h"
#include "loops/team-classes.h"
#include "machine/affinity.h"
#include "machine/machine.h"
#include "ompt/ompt.h"
#include "options/options.h"
#include "options/schedules.h"
#include "show/display.h"
#include "tasks/task-fifo.h"
#include "moments.h"
#include "process.h"

/* In a file of upstream's that has hooks: see ompt/entries/entry.h.  */
#ifdef GOMP_AMP_ENTRIES
# include GOMP_AMP_ENTRIES
#endif

#endif /* GOMP_AMP_H */
