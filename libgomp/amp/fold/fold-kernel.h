/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* How threads of folded teams sleep.  tests/model has its own.  */

#ifndef GOMP_AMP_FOLD_KERNEL_H
#define GOMP_AMP_FOLD_KERNEL_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

struct gomp_fold_word
{
  int *addr;
  int val;
};

/* The kernel takes no more words at once (FUTEX_WAITV_MAX).  */
#ifndef GOMP_FOLD_MAX_WORDS
# define GOMP_FOLD_MAX_WORDS 128
#endif

/* Sleep while *ADDR is VAL, until a thread wakes ADDR's sleepers, or for no
   reason.  */
extern void gomp_fold_sleep (int *addr, int val);

/* The same for COUNT words of LIST, at most GOMP_FOLD_MAX_WORDS, each of which
   may end the sleep.  If BRIEFLY, or the kernel cannot wait for several words,
   sleep a millisecond at most.  */
extern void gomp_fold_sleep_any (const struct gomp_fold_word *list,
				 unsigned count, bool briefly);

/* Wake the thread that sleeps on ADDR, if there is one.  ADDR may have been
   freed.  */
extern void gomp_fold_wake (int *addr);

/* The processor may do something else for a moment.  */
extern void gomp_fold_relax (void);

/* Other threads of the calling thread's CPU may run.  */
extern void gomp_fold_yield_cpu (void);

/* Any of them, for some 100 us.  */
extern void gomp_fold_sleep_briefly (void);

/* The activity of a thread that holds a turn.  */
enum gomp_fold_activity
{
  GOMP_FOLD_COMPUTES,
  /* Sleeps in the kernel.  */
  GOMP_FOLD_SLEEPS,
  /* Its core waits for other cores to catch up, in virtual time.  */
  GOMP_FOLD_WAITS
};

/* The activity of the thread TID of this process.  */
extern enum gomp_fold_activity gomp_fold_look_up_activity (int tid);

/* How long the thread TID of this process has used the CPU, in nanoseconds; or
   the time, if the kernel does not tell.  */
extern unsigned long long gomp_fold_look_up_cpu_ns (int tid);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_KERNEL_H */
