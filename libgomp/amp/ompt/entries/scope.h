/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* OMPT: the entry point of scope.c.  */

#include "ompt/entries/entry.h"

GOMP_OMPT_ENTRY (, void, GOMP_scope_start, (uintptr_t *reductions),
		 (reductions), gomp_ompt_called ())

#define GOMP_scope_start plain_GOMP_scope_start
