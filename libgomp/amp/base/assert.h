/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Assertions of what the headers state: which lock the caller holds, which
   thread it is, what an argument is.  Only builds for tests have them: those
   for sanitizers, fuzzing, the model checker and unit tests, which define
   GOMP_AMP_CHECKED.  The released library is the same to the byte without
   them.

   An assertion has no side effect and meets no other thread: it reads data of
   the calling thread, data that is constant or guarded by a lock that the
   thread holds, or reads by a relaxed load.  */

#ifndef GOMP_AMP_ASSERT_H
#define GOMP_AMP_ASSERT_H 1

#ifdef GOMP_AMP_CHECKED

# include <stdio.h>
# include <stdlib.h>

static inline void __attribute__ ((cold, noreturn, unused))
gomp_amp_assertion_failed (const char *file, int line, const char *function,
			   const char *condition)
{
  fprintf (stderr, "libgomp: %s:%d: %s: assertion failed: %s\n", file, line,
	   function, condition);
  abort ();
}

# define GOMP_AMP_ASSERT(condition)					\
  (__builtin_expect (!(condition), 0)					\
   ? gomp_amp_assertion_failed (__FILE__, __LINE__, __func__, #condition) \
   : (void) 0)

#else

/* Not evaluated, but parsed: what only assertions use counts as used.  */
# define GOMP_AMP_ASSERT(condition) ((void) sizeof (!(condition)))

#endif

#endif /* GOMP_AMP_ASSERT_H */
