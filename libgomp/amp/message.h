/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Declares libgomp's message printer for files that need no more of it.  */

#ifndef GOMP_AMP_MESSAGE_H
#define GOMP_AMP_MESSAGE_H 1

#pragma GCC visibility push(hidden)

/* Print "libgomp: " and the message to standard error.  As in libgomp.h.  */
extern void gomp_error (const char *, ...)
  __attribute__ ((format (printf, 1, 2)));

#pragma GCC visibility pop

#endif /* GOMP_AMP_MESSAGE_H */
