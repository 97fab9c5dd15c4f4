/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Control of tools (OMPT), of which there are none.  */

#include "libgomp.h"
#include "forward-lacks.h"

#ifdef GOMP_LACKS_omp_control_tool
/* omp_control_tool_notool.  */
#define NO_TOOL -2

int
omp_control_tool (int command __attribute__ ((unused)),
		  int modifier __attribute__ ((unused)),
		  void *argument __attribute__ ((unused)))
{
  return NO_TOOL;
}

int32_t
omp_control_tool_ (int32_t command __attribute__ ((unused)),
		   int32_t modifier __attribute__ ((unused)))
{
  return NO_TOOL;
}

int32_t
omp_control_tool_8_ (int32_t command __attribute__ ((unused)),
		     int64_t modifier __attribute__ ((unused)))
{
  return NO_TOOL;
}
#endif
