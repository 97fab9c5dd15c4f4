/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Declares libgomp's functions for messages, for files that do not include
   libgomp.h.  */

#ifndef GOMP_AMP_MESSAGE_H
#define GOMP_AMP_MESSAGE_H 1

#pragma GCC visibility push(hidden)

/* Print "libgomp: " and the message to standard error.  As in libgomp.h.  */
extern void gomp_error (const char *, ...)
  __attribute__ ((format (printf, 1, 2)));

/* Print a message, whose format is the second argument, to standard error if
   GOMP_DEBUG is set.  In parentheses, since libgomp.h has a macro of this
   name.  */
extern void (gomp_debug) (int, const char *, ...)
  __attribute__ ((format (printf, 2, 3)));

#pragma GCC visibility pop

#endif /* GOMP_AMP_MESSAGE_H */
