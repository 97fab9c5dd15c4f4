/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Contexts of threads that are picked up and put down in user space: the
   registers that a called function keeps, the stack pointer, the control words
   of floating-point operations, and the thread pointer.  With the thread
   pointer moves all that a thread is known by: thread-local variables, errno,
   pthread_self, owners of mutexes, exceptions in flight.

   The kernel's part of a thread stays: its number, CPU clock, signal mask,
   priority and credentials.  */

#ifndef GOMP_AMP_FOLD_CONTEXT_H
#define GOMP_AMP_FOLD_CONTEXT_H 1

#include <stdbool.h>
#include <stddef.h>

/* Processors on which a program may set its own thread pointer.  */
#if (defined __x86_64__ && !defined __ILP32__) || defined __aarch64__
# define GOMP_FOLD_CONTEXTS 1
#else
# define GOMP_FOLD_CONTEXTS 0
#endif

#pragma GCC visibility push(hidden)

/* Why contexts cannot be switched in this process, a constant text; NULL if
   they can.  */
extern const char *gomp_fold_no_contexts (void);

#if GOMP_FOLD_CONTEXTS

/* Put down the calling context, store where it is in *FROM, and pick up TO,
   which such a call has put down or gomp_fold_make_context has made.  Returns
   when *FROM is picked up, on any kernel thread.  No address of a thread-local
   variable but the context's own may be kept over the call.
   Budget: 32 instructions on x86-64.  */
extern void gomp_fold_switch (void **from, void *to);

/* The flags of floating-point exceptions that gomp_fold_switch leaves alone: it
   does not need them for most contexts.  Of the x87 unit none are left set, as
   the next context may not mask them.  */

static inline unsigned
gomp_fold_save_flags (void)
{
#ifdef __x86_64__
  unsigned short status;

  __asm__ volatile ("fnstsw %0" : "=a" (status));
  if (__builtin_expect ((status & 0x3f) != 0, 0))
    __asm__ volatile ("fnclex");
  return status & 0x3f;
#else
  unsigned long status;

  __asm__ volatile ("mrs %0, fpsr" : "=r" (status));
  return status;
#endif
}

/* Set them to FLAGS, which that function has returned to the same context.  */

static inline void
gomp_fold_restore_flags (unsigned flags)
{
#ifdef __x86_64__
  struct { unsigned control, status, others[5]; } environment;

  if (__builtin_expect (flags != 0, 0))
    {
      __asm__ volatile ("fnstenv %0" : "=m" (environment));
      environment.status |= flags;
      __asm__ volatile ("fldenv %0" : : "m" (environment));
    }
#else
  __asm__ volatile ("msr fpsr, %0" : : "r" ((unsigned long) flags));
#endif
}

/* A context with the thread pointer of the calling one, which calls FN with
   ARG on a stack of SIZE bytes at STACK when it is picked up first.  FN does
   not return.  */
extern void *gomp_fold_make_context (void *stack, size_t size,
				     void (*fn) (void *), void *arg);

#endif

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_CONTEXT_H */
