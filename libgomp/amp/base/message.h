/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Messages.  */

#ifndef GOMP_AMP_MESSAGE_H
#define GOMP_AMP_MESSAGE_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* Called once at start-up, before anything is printed.  */
extern void gomp_amp_init_messages (void);

/* Whether standard error is still the file that it was at the start.  When a
   daemon has closed it, the program's own data may get the descriptor.  */
extern bool gomp_amp_keeps_stderr (void);

/* Print "libgomp: " and the message to standard error, if it is still the same
   file.  libgomp's function of this name, which files call that do not include
   this, prints it in any case.  */
#define gomp_error gomp_amp_error
extern void gomp_error (const char *, ...)
  __attribute__ ((format (printf, 1, 2)));

/* Print a message, whose format is the second argument, to standard error if
   GOMP_DEBUG is set.  In parentheses, since libgomp.h has a macro of this
   name.  */
extern void (gomp_debug) (int, const char *, ...)
  __attribute__ ((format (printf, 2, 3)));

#pragma GCC visibility pop

#endif /* GOMP_AMP_MESSAGE_H */
