/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The other OpenMP runtimes in the process.  */

#ifndef GOMP_AMP_OTHER_RUNTIMES_H
#define GOMP_AMP_OTHER_RUNTIMES_H 1

#include <stdio.h>

#pragma GCC visibility push(hidden)

/* Print a line that names all of them to STREAM, and name those that come
   later in a message each when the program ends.  The caller sees to it that
   no two threads are here at once.  */
extern void gomp_amp_display_other_runtimes (FILE *stream);

#pragma GCC visibility pop

#endif /* GOMP_AMP_OTHER_RUNTIMES_H */
