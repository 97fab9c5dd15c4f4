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

/* How many threads of the process sleep, or are about to, on words of libgomp.
   Counted if teams are folded.  Shared and atomic.  */
extern unsigned gomp_fold_sleepers;

/* The calling thread is about to sleep as long as a word has a value, which the
   kernel looks at, or does not sleep any more.  Sequentially consistent, as
   gomp_fold_any_sleep: either the thread that changes the word sees the
   sleeper, or the sleeper's kernel sees the change.  */

static inline void
gomp_fold_begin_sleep (void)
{
  __atomic_fetch_add (&gomp_fold_sleepers, 1, __ATOMIC_SEQ_CST);
}

static inline void
gomp_fold_end_sleep (void)
{
  __atomic_fetch_sub (&gomp_fold_sleepers, 1, __ATOMIC_RELAXED);
}

/* The calling thread has changed a word.  Returns whether any thread may sleep
   on it.  */

static inline bool
gomp_fold_any_sleep (void)
{
#ifdef GOMP_AMP_VIRTUAL
  /* The lab knows who sleeps on what.  */
  return true;
#else
  __atomic_thread_fence (__ATOMIC_SEQ_CST);
  return __atomic_load_n (&gomp_fold_sleepers, __ATOMIC_RELAXED) != 0;
#endif
}

/* Sleep while *ADDR is VAL, until a thread wakes ADDR's sleepers, or for no
   reason.  */
extern void gomp_fold_sleep (int *addr, int val);

/* The same while *WORD is GOMP_FOLD_PARKED, for a kernel thread whose
   thread-local variables another one may use.  */
extern void gomp_fold_sleep_parked (int *word);

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

/* Have the kernel store the CPU of the calling kernel thread, and look for
   restartable sequences, at TO instead of FROM.  */
extern void gomp_fold_move_rseq (void *from, void *to);

/* Other threads of the calling thread's CPU may run.  */
extern void gomp_fold_yield_cpu (void);

/* Any of them, for some 100 us.  */
extern void gomp_fold_sleep_briefly (void);

/* What a thread that runs an id does.  */
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
