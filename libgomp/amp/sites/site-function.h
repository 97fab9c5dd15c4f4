/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Sites as people know them: by their functions.  For reports at the end of the
   process, as it reads the files of modules.  */

#ifndef GOMP_AMP_SITE_FUNCTION_H
#define GOMP_AMP_SITE_FUNCTION_H 1

#include <stddef.h>

#pragma GCC visibility push(hidden)

struct gomp_amp_site;

/* The longest description, with the 0 at its end.  A longer one is cut
   off.  */
#define GOMP_AMP_SITE_TEXT 512

/* Store in TEXT, and return, how messages call SITE: its name, and behind it in
   parentheses the function at its address, if the symbol table of the module's
   file has it: app+0x11c9 (main._omp_fn.0).  A C++ name is as the compiler
   mangled it.  A file that has no symbol table, cannot be read or was replaced
   since the module was loaded has no functions.  */
extern const char *gomp_amp_describe_site (const struct gomp_amp_site *site,
					   char text[GOMP_AMP_SITE_TEXT]);

#pragma GCC visibility pop

#endif /* GOMP_AMP_SITE_FUNCTION_H */
