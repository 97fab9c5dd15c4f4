/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The CPU, and so the class, that the calling thread is on.  */

#ifndef GOMP_AMP_CPU_H
#define GOMP_AMP_CPU_H 1

#include <sched.h>
#include <stddef.h>
#include "base/events.h"
#include "machine/machine.h"

#pragma GCC visibility push(hidden)

/* Where the kernel stores the number of a thread's current CPU: the distance
   from the thread pointer to cpu_id of struct rseq.  0 = it does not.  */
extern ptrdiff_t gomp_amp_rseq_cpu;

/* Find that distance; glibc has it from 2.35 on.  Called when the library is
   loaded: later another thread may hold the loader's lock and wait for us.  */
extern void gomp_amp_init_cpu (void);

#pragma GCC visibility pop

/* The CPU that the calling thread was on a moment ago; negative if unknown.  A
   bound thread is on a CPU of its place.  */
static inline int
gomp_amp_current_cpu (void)
{
#ifdef GOMP_AMP_VIRTUAL
  return gomp_virtual_cpu ();
#else
  ptrdiff_t offset = __atomic_load_n (&gomp_amp_rseq_cpu, __ATOMIC_RELAXED);
  if (__builtin_expect (offset != 0, 1))
    {
      const int *word
	= (const int *) ((char *) __builtin_thread_pointer () + offset);
      int cpu = __atomic_load_n (word, __ATOMIC_RELAXED);
      /* Negative in a thread for which registration failed.  */
      if (__builtin_expect (cpu >= 0, 1))
	return cpu;
    }
  return sched_getcpu ();
#endif
}

/* The class of THR, the calling thread.  */
static inline unsigned
gomp_amp_current_class (struct gomp_thread *thr)
{
  if (gomp_amp_classes_forced ())
    return gomp_amp_forced_class (thr->ts.team_id);
  return gomp_amp_class_of_cpu (gomp_amp_current_cpu ());
}

#endif /* GOMP_AMP_CPU_H */
