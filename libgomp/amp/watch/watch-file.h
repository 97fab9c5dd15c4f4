/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Files of JSON that the report and the trace write.  */

#ifndef GOMP_AMP_WATCH_FILE_H
#define GOMP_AMP_WATCH_FILE_H 1

#include <stdio.h>

#pragma GCC visibility push(hidden)

/* Print TEXT to OUT as a string of JSON, or null.  */
extern void gomp_watch_print_string (FILE *out, const char *text);

/* Called once at start-up.  */
extern void gomp_watch_init_files (void);

/* Write WHAT to the file that VALUE, of OPTION, names, from the directory in
   which the process started: %p in the last part of the name stands for the
   process number, and without that the child of a fork appends its number.
   PRINT is called with DATA, and prints all of it; in the locale C as to
   numbers.  A failure is reported.  */
extern void gomp_watch_write_file (const char *what, const char *option,
				   const char *value,
				   void (*print) (FILE *, const void *),
				   const void *data);

#pragma GCC visibility pop

#endif /* GOMP_AMP_WATCH_FILE_H */
