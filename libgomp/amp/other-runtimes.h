/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The other OpenMP runtimes in the process.  */

#ifndef GOMP_AMP_OTHER_RUNTIMES_H
#define GOMP_AMP_OTHER_RUNTIMES_H 1

#include <stdio.h>

#pragma GCC visibility push(hidden)

/* Print a line that names all of them to STREAM.  The caller sees to it that no
   two threads are here at once.  */
extern void gomp_amp_display_other_runtimes (FILE *stream);

/* The process ends: if it has printed that line, name those that plugins have
   brought since in a message each.  */
extern void gomp_amp_name_later_runtimes (void);

#pragma GCC visibility pop

#endif /* GOMP_AMP_OTHER_RUNTIMES_H */
