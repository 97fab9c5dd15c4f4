/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* schedule(runtime) loops over unsigned long long.  */

#include "libgomp.h"
#include "libgomp_g.h"
#include "base/clock.h"

#define AMP_INT unsigned long long
#define AMP_UINT unsigned long long
#define AMP_FN(prefix, suffix) prefix##ull_##suffix
#define AMP_UP_PARM bool up,
#define AMP_UP up,
#define AMP_TRIPS gomp_amp_trips_ull
#define AMP_WS(ws, field) ((ws)->field##_ull)
/* Upstream's gomp_iter_ull_dynamic_next reads a loop's direction here.  */
#define AMP_MODE (up ? 0 : 2)

#include "loops/loop-runtime.inc"
