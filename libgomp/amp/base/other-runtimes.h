/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The other OpenMP runtimes in the process.  */

#ifndef GOMP_AMP_OTHER_RUNTIMES_H
#define GOMP_AMP_OTHER_RUNTIMES_H 1

#include <stdio.h>

#pragma GCC visibility push(hidden)

/* Print a line with all of them to STREAM.  The caller ensures that only one
   thread is here at a time.  */
extern void gomp_amp_display_other_runtimes (FILE *stream);

/* Called when the process ends.  If it has printed that line, print a message
   for each runtime that a plugin has loaded since.  */
extern void gomp_amp_name_later_runtimes (void);

#pragma GCC visibility pop

#endif /* GOMP_AMP_OTHER_RUNTIMES_H */
