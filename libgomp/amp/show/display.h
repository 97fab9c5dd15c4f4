/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The fork's part of OMP_DISPLAY_ENV=verbose.  */

#ifndef GOMP_AMP_DISPLAY_H
#define GOMP_AMP_DISPLAY_H 1

#include <stdio.h>

#pragma GCC visibility push(hidden)

/* Print version, core classes and every option to STREAM.  */
extern void gomp_amp_display_env (FILE *stream);

#pragma GCC visibility pop

#endif /* GOMP_AMP_DISPLAY_H */
