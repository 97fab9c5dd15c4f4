/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The object that amp-gcc links into what it makes: with OMP_SCHEDULE unset and
   a libgomp that is not ours, loops that were routed to schedule(runtime) run
   static, as they would have without routing, instead of dynamic,1.  */

#include <stddef.h>
#include <stdlib.h>

#define AMP_SCHED_STATIC 1
#define AMP_SCHED_DYNAMIC 2
#define AMP_RTLD_DEFAULT NULL

/* All weak: the program may have no libgomp, and old C libraries have no dlsym
   of their own.  */
extern void omp_get_schedule (int *, int *) __attribute__ ((weak));
extern void omp_set_schedule (int, int) __attribute__ ((weak));
extern void *dlsym (void *, const char *) __attribute__ ((weak));
extern int ompx_amp_version (void) __attribute__ ((weak));

/* True if the process runs on our library.  The linker may have settled the
   weak reference at link time, against a library without that name; so ask the
   dynamic linker too.  */

static int
on_our_library (void)
{
  return ompx_amp_version
	 || (dlsym && dlsym (AMP_RTLD_DEFAULT, "ompx_amp_version"));
}

/* Several copies, of a program and of its shared libraries, run one after
   another; a schedule that is not the default any more is left alone.  */

static void __attribute__ ((constructor))
amp_start (void)
{
  int kind, chunk;

  if (!omp_get_schedule || !omp_set_schedule
      || getenv ("OMP_SCHEDULE") || on_our_library ())
    return;
  omp_get_schedule (&kind, &chunk);
  if (kind == AMP_SCHED_DYNAMIC && chunk == 1)
    omp_set_schedule (AMP_SCHED_STATIC, 0);
}
