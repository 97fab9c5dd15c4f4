/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Sleeps and wakes by Linux's futexes.  */

#define _GNU_SOURCE 1
#include "fold/fold-kernel.h"
#include "fold/fold-carry.h"
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <linux/futex.h>
#include <sys/syscall.h>

/* Linux 5.16 has it; older headers do not.  */
#ifndef SYS_futex_waitv
# define SYS_futex_waitv 449
#endif

/* The kernel's struct futex_waitv, and its flag for a word of 32 bits.  */
struct waiter
{
  uint64_t val;
  uint64_t addr;
  uint32_t flags;
  uint32_t reserved;
};
#define WORD_32 2

#define BRIEFLY_NS 1000000

/* The kernel knows no SYS_futex_waitv, or a filter of system calls that is
   older than the kernel refuses it.  Relaxed: one more attempt does no
   harm.  */
static bool one_word_only;

/* The system call futex on ADDR.  Not the C library's function: a kernel thread
   that parks, or has just picked up an id, must not touch errno.  */

static inline void __attribute__ ((no_sanitize ("thread")))
raw_futex (int *addr, int operation, int val)
{
#if defined __x86_64__ && !defined __ILP32__
  register void *timeout __asm__ ("r10") = NULL;
  long result;

  __asm__ volatile ("syscall" : "=a" (result)
		    : "0" ((long) SYS_futex), "D" (addr),
		      "S" ((long) (operation | FUTEX_PRIVATE_FLAG)),
		      "d" ((long) val), "r" (timeout)
		    : "rcx", "r11", "memory");
#elif defined __aarch64__
  register long number __asm__ ("x8") = SYS_futex;
  register long result __asm__ ("x0") = (long) addr;
  register long op __asm__ ("x1") = operation | FUTEX_PRIVATE_FLAG;
  register long value __asm__ ("x2") = val;
  register long timeout __asm__ ("x3") = 0;

  __asm__ volatile ("svc 0" : "+r" (result)
		    : "r" (number), "r" (op), "r" (value), "r" (timeout)
		    : "memory");
#else
  int error = errno;

  syscall (SYS_futex, addr, operation | FUTEX_PRIVATE_FLAG, val, NULL);
  errno = error;
#endif
}

unsigned gomp_fold_sleepers __attribute__ ((aligned (64)));

void
gomp_fold_sleep (int *addr, int val)
{
  gomp_fold_begin_sleep ();
  raw_futex (addr, FUTEX_WAIT, val);
  gomp_fold_end_sleep ();
}

void __attribute__ ((no_sanitize ("address", "thread", "undefined")))
gomp_fold_sleep_parked (int *word)
{
  raw_futex (word, FUTEX_WAIT, GOMP_FOLD_PARKED);
}

void
gomp_fold_sleep_any (const struct gomp_fold_word *list, unsigned count,
		     bool briefly)
{
  struct waiter waiter[GOMP_FOLD_MAX_WORDS];
  struct timespec end;
  /* What this call takes where longs have 32 bits, too.  */
  struct { int64_t sec, nsec; } until;
  int error = errno;

  gomp_fold_begin_sleep ();
  for (unsigned i = 0; i < count; i++)
    {
      waiter[i].val = (uint32_t) list[i].val;
      waiter[i].addr = (uintptr_t) list[i].addr;
      waiter[i].flags = WORD_32 | FUTEX_PRIVATE_FLAG;
      waiter[i].reserved = 0;
    }
  if (__atomic_load_n (&one_word_only, __ATOMIC_RELAXED))
    briefly = true;
  else
    {
      /* The time is absolute.  */
      if (briefly)
	{
	  clock_gettime (CLOCK_MONOTONIC, &end);
	  until.sec = end.tv_sec + (end.tv_nsec + BRIEFLY_NS) / 1000000000;
	  until.nsec = (end.tv_nsec + BRIEFLY_NS) % 1000000000;
	}
      if (syscall (SYS_futex_waitv, waiter, count, 0, briefly ? &until : NULL,
		   CLOCK_MONOTONIC) >= 0
	  || (errno != ENOSYS && errno != EPERM))
	{
	  gomp_fold_end_sleep ();
	  errno = error;
	  return;
	}
      __atomic_store_n (&one_word_only, true, __ATOMIC_RELAXED);
    }
  /* The first word, and not for long: others may change.  */
  end.tv_sec = 0;
  end.tv_nsec = BRIEFLY_NS;
  syscall (SYS_futex, list[0].addr, FUTEX_WAIT | FUTEX_PRIVATE_FLAG,
	   list[0].val, &end);
  gomp_fold_end_sleep ();
  errno = error;
}

void __attribute__ ((no_sanitize ("thread")))
gomp_fold_wake (int *addr)
{
  raw_futex (addr, FUTEX_WAKE, 1);
}

void
gomp_fold_relax (void)
{
#if defined __x86_64__ || defined __i386__
  __builtin_ia32_pause ();
#elif defined __aarch64__ || defined __arm__
  __asm__ volatile ("yield" ::: "memory");
#else
  __asm__ volatile ("" ::: "memory");
#endif
}

/* What comes before code that a sequence jumps to.  */
#ifdef __aarch64__
# define RSEQ_SIGNATURE 0xd428bc00
#else
# define RSEQ_SIGNATURE 0x53053053
#endif

void
gomp_fold_move_rseq (void *from __attribute__ ((unused)),
		     void *to __attribute__ ((unused)))
{
#ifdef SYS_rseq
  const int unregister = 1;
  int error = errno;

  /* The C library has chosen the length.  */
  for (unsigned length = 32; length <= 512; length += 32)
    if (syscall (SYS_rseq, from, length, unregister, RSEQ_SIGNATURE) == 0)
      {
	syscall (SYS_rseq, to, length, 0, RSEQ_SIGNATURE);
	break;
      }
  errno = error;
#endif
}

void
gomp_fold_yield_cpu (void)
{
  /* Not sched_yield, which amp-run may have replaced.  */
  syscall (SYS_sched_yield);
}

void
gomp_fold_sleep_briefly (void)
{
  struct timespec time = { .tv_nsec = 50000 };
  int error = errno;

  syscall (SYS_nanosleep, &time, NULL);
  errno = error;
}

enum gomp_fold_activity
gomp_fold_look_up_activity (int tid)
{
  char name[64], line[256], *state;
  FILE *file;

  snprintf (name, sizeof name, "/proc/self/task/%d/stat", tid);
  file = fopen (name, "re");
  if (file == NULL)
    return GOMP_FOLD_COMPUTES;
  state = fgets (line, sizeof line, file);
  fclose (file);
  /* What follows the name, which may have any character.  */
  state = state != NULL ? strrchr (line, ')') : NULL;
  return (state != NULL && (state[2] == 'S' || state[2] == 'D')
	  ? GOMP_FOLD_SLEEPS : GOMP_FOLD_COMPUTES);
}
