/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* OMPT: the entry points of loop_ull.c.  */

#define GOMP_OMPT_ULL 1
#include "ompt/entries/loop.h"
