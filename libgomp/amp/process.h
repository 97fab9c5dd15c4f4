/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The start of the process: which parts of the library begin, in which order,
   and why.  Its end is in process.c.  */

#ifndef GOMP_AMP_PROCESS_H
#define GOMP_AMP_PROCESS_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* The library is being loaded; upstream has not read the environment yet.  */
extern void gomp_amp_process_starts (void);

/* Upstream has read the environment.  EXPLICIT_BINDING: OMP_PROC_BIND,
   OMP_PLACES or GOMP_CPU_AFFINITY is set.  Returns whether to bind the initial
   thread now (gomp_amp_make_places).  */
extern bool gomp_amp_process_set_up (bool explicit_binding);

#pragma GCC visibility pop

#endif /* GOMP_AMP_PROCESS_H */
