/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* OpenMP's variables for tools, and how a tool ends.  */

#ifndef GOMP_OMPT_OPTIONS_H
#define GOMP_OMPT_OPTIONS_H 1

#include <stdbool.h>
#include <stdio.h>
#include "ompt/omp-tools.h"

#pragma GCC visibility push(hidden)

struct gomp_ompt_options
{
  /* OMP_TOOL is disabled.  */
  bool disabled;
  /* OMP_TOOL_LIBRARIES; OMP_TOOL_VERBOSE_INIT, NULL if it is disabled.  */
  const char *libraries, *verbose;
  /* GOMP_AMP_REPORT or GOMP_AMP_TRACE asks for our own tool.  */
  bool own;
};
extern struct gomp_ompt_options gomp_ompt_options;

/* Print them for OMP_DISPLAY_ENV=verbose.  */
extern void gomp_ompt_display (FILE *stream);

/* ompt_function_lookup_t.  */
extern ompt_interface_fn_t gomp_ompt_look_up (const char *name);

#pragma GCC visibility pop

#endif /* GOMP_OMPT_OPTIONS_H */
