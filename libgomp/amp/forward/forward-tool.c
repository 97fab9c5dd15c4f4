/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Control of tools (OMPT).  */

#include "libgomp.h"
#include "forward-lacks.h"
#include "ompt/ompt.h"

#ifdef GOMP_LACKS_omp_control_tool
int
omp_control_tool (int command, int modifier, void *argument)
{
  return gomp_ompt_control (command, modifier, argument,
			    __builtin_return_address (0));
}

int32_t
omp_control_tool_ (int32_t command, int32_t modifier)
{
  return gomp_ompt_control (command, modifier, NULL,
			    __builtin_return_address (0));
}

int32_t
omp_control_tool_8_ (int32_t command, int64_t modifier)
{
  return gomp_ompt_control (command, modifier, NULL,
			    __builtin_return_address (0));
}
#endif
