/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Returns the library's version.  */

#include "base/version.h"

#define TEXT(x) #x
#define TEXT_OF(x) TEXT (x)

/* An ELF note marks the library.  The code of routed loops
   (gcc-patch/guard/guard.cc) looks for it to find out whether its calls go
   here.  */
__asm__ (".pushsection .note.libgomp-amp,\"a\",%note\n"
	 "\t.balign 4\n"
	 "\t.long 12, 4, 1\n"
	 "\t.asciz \"libgomp-amp\"\n"
	 "\t.long 10000 * " TEXT_OF (GOMP_AMP_MAJOR)
	 " + 100 * " TEXT_OF (GOMP_AMP_MINOR)
	 " + " TEXT_OF (GOMP_AMP_PATCH) "\n"
	 "\t.popsection\n");

int
ompx_amp_version (void)
{
  return 10000 * GOMP_AMP_MAJOR + 100 * GOMP_AMP_MINOR + GOMP_AMP_PATCH;
}
