/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* schedule(runtime) loops over long.  */

#include "libgomp.h"
#include "libgomp_g.h"
#include "base/clock.h"

#define AMP_INT long
#define AMP_UINT unsigned long
#define AMP_FN(prefix, suffix) prefix##suffix
#define AMP_UP_PARM
#define AMP_UP
#define AMP_TRIPS gomp_amp_trips
#define AMP_WS(ws, field) ((ws)->field)
#define AMP_MODE 0

#include "loops/loop-runtime.inc"
