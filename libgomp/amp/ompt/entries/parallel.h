/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* OMPT: the entry points of parallel.c.  */

#include "ompt/entries/entry.h"

#define PARALLEL_PARMS \
  void (*fn) (void *), void *data, unsigned num_threads
#define PARALLEL fn, data, num_threads

GOMP_OMPT_ENTRY (, void, GOMP_parallel_start, (PARALLEL_PARMS), (PARALLEL),
		 gomp_ompt_started ())
GOMP_OMPT_ENTRY (, void, GOMP_parallel, (PARALLEL_PARMS, unsigned flags),
		 (PARALLEL, flags), gomp_ompt_called ())
GOMP_OMPT_ENTRY (, unsigned, GOMP_parallel_reductions,
		 (PARALLEL_PARMS, unsigned flags), (PARALLEL, flags),
		 gomp_ompt_called ())
GOMP_OMPT_ENTRY (, bool, GOMP_cancel, (int which, bool do_cancel),
		 (which, do_cancel),
		 if (gomp_ompt_p () && gomp_cancel_var && do_cancel)
		   gomp_ompt_cancel (which, __builtin_return_address (0)))

#define GOMP_parallel_start plain_GOMP_parallel_start
#define GOMP_parallel plain_GOMP_parallel
#define GOMP_parallel_reductions plain_GOMP_parallel_reductions
#define GOMP_cancel plain_GOMP_cancel
