/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The floating-point environment of a thread, which called ids must not share:
   rounding, denormals and traps.  On other processors nothing is kept.  */

#ifndef GOMP_AMP_FOLD_ENVIRONMENT_H
#define GOMP_AMP_FOLD_ENVIRONMENT_H 1

#include <stdbool.h>
#include <stdint.h>

/* CONTROL: what says how operations are done.  FLAGS: the exceptions that
   occurred.  X87: the control word of the x87.  */
struct gomp_fold_environment
{
#if defined __SSE__ || defined __aarch64__
  uint32_t control, flags;
#endif
#ifdef __SSE__
  uint16_t x87;
#endif
};

#ifdef __SSE__
/* The flags of MXCSR.  The rest of it is control.  */
# define GOMP_FOLD_MXCSR_FLAGS 0x3f
#endif

/* That of the calling thread.  Budget: 10 instructions.  */

static inline struct gomp_fold_environment
gomp_fold_read_environment (void)
{
  struct gomp_fold_environment now;

#if defined __SSE__
  uint32_t mxcsr = __builtin_ia32_stmxcsr ();

  now.control = mxcsr & ~GOMP_FOLD_MXCSR_FLAGS;
  now.flags = mxcsr & GOMP_FOLD_MXCSR_FLAGS;
  __asm__ volatile ("fnstcw %0" : "=m" (now.x87));
#elif defined __aarch64__
  now.control = __builtin_aarch64_get_fpcr ();
  now.flags = __builtin_aarch64_get_fpsr ();
#endif
  return now;
}

/* Whether A and B have the same controls.  */

static inline bool
gomp_fold_same_controls (const struct gomp_fold_environment *a
			 __attribute__ ((unused)),
			 const struct gomp_fold_environment *b
			 __attribute__ ((unused)))
{
#if defined __SSE__
  return a->control == b->control && a->x87 == b->x87;
#elif defined __aarch64__
  return a->control == b->control;
#else
  return true;
#endif
}

/* Whether A and B are the same, flags too.  */

static inline bool
gomp_fold_same_environment (const struct gomp_fold_environment *a,
			    const struct gomp_fold_environment *b)
{
#if defined __SSE__ || defined __aarch64__
  return a->flags == b->flags && gomp_fold_same_controls (a, b);
#else
  return gomp_fold_same_controls (a, b);
#endif
}

/* Give the calling thread ENVIRONMENT.  */

static inline void
gomp_fold_set_environment (const struct gomp_fold_environment *environment
			   __attribute__ ((unused)))
{
#if defined __SSE__
  __builtin_ia32_ldmxcsr (environment->control | environment->flags);
  __asm__ volatile ("fldcw %0" : : "m" (environment->x87));
#elif defined __aarch64__
  __builtin_aarch64_set_fpcr (environment->control);
  __builtin_aarch64_set_fpsr (environment->flags);
#endif
}

#endif /* GOMP_AMP_FOLD_ENVIRONMENT_H */
