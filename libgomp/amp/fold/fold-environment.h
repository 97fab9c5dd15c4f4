/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The floating-point environment of a thread, which called ids must not share:
   rounding, denormals and traps.  On other processors nothing is kept.  */

#ifndef GOMP_AMP_FOLD_ENVIRONMENT_H
#define GOMP_AMP_FOLD_ENVIRONMENT_H 1

#include <stdbool.h>
#include <stdint.h>

struct gomp_fold_environment
{
#if defined __SSE__
  /* MXCSR, which has the flags of exceptions too, and the control word of the
     x87.  */
  uint32_t mxcsr;
  uint16_t x87;
#elif defined __aarch64__
  uint32_t fpcr, fpsr;
#endif
};

#ifdef __SSE__
/* The flags in MXCSR.  The rest of it says how operations are done.  */
# define GOMP_FOLD_MXCSR_FLAGS 0x3f
#endif

/* That of the calling thread.  Budget: 6 instructions.  */

static inline struct gomp_fold_environment
gomp_fold_read_environment (void)
{
  struct gomp_fold_environment now;

#if defined __SSE__
  __asm__ volatile ("stmxcsr %0" : "=m" (now.mxcsr));
  __asm__ volatile ("fnstcw %0" : "=m" (now.x87));
#elif defined __aarch64__
  now.fpcr = __builtin_aarch64_get_fpcr ();
  now.fpsr = __builtin_aarch64_get_fpsr ();
#endif
  return now;
}

/* Whether operations are done alike in A and B.  */

static inline bool
gomp_fold_same_controls (const struct gomp_fold_environment *a
			 __attribute__ ((unused)),
			 const struct gomp_fold_environment *b
			 __attribute__ ((unused)))
{
#if defined __SSE__
  return !(((a->mxcsr ^ b->mxcsr) & ~GOMP_FOLD_MXCSR_FLAGS)
	   | (a->x87 ^ b->x87));
#elif defined __aarch64__
  return a->fpcr == b->fpcr;
#else
  return true;
#endif
}

/* Whether A and B are the same, flags too.  */

static inline bool
gomp_fold_same_environment (const struct gomp_fold_environment *a
			    __attribute__ ((unused)),
			    const struct gomp_fold_environment *b
			    __attribute__ ((unused)))
{
#if defined __SSE__
  return a->mxcsr == b->mxcsr && a->x87 == b->x87;
#elif defined __aarch64__
  return a->fpcr == b->fpcr && a->fpsr == b->fpsr;
#else
  return true;
#endif
}

/* Give the calling thread ENVIRONMENT.  */

static inline void
gomp_fold_set_environment (const struct gomp_fold_environment *environment
			   __attribute__ ((unused)))
{
#if defined __SSE__
  __asm__ volatile ("ldmxcsr %0" : : "m" (environment->mxcsr));
  __asm__ volatile ("fldcw %0" : : "m" (environment->x87));
#elif defined __aarch64__
  __builtin_aarch64_set_fpcr (environment->fpcr);
  __builtin_aarch64_set_fpsr (environment->fpsr);
#endif
}

#endif /* GOMP_AMP_FOLD_ENVIRONMENT_H */
