/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Affinity masks, which the kernel has for each thread.  */

#ifndef GOMP_AMP_MASK_H
#define GOMP_AMP_MASK_H 1

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)

/* The mask of the thread with the kernel's number THREAD; 0 is the calling
   thread.  Returns a cpu_set_t of *SIZE bytes, which the caller frees, or NULL
   if the kernel does not answer or memory is short.  */
extern void *gomp_amp_thread_mask (pid_t thread, size_t *size);

/* Whether MASK, a cpu_set_t of SIZE bytes, has CPU.  NULL has all CPUs.  */
extern bool gomp_amp_mask_has (const void *mask, size_t size, unsigned cpu);

/* The number of CPUs that the machine can have, or one more than the highest
   CPU of MASK if that is greater.  */
extern unsigned gomp_amp_mask_reach (const void *mask, size_t size);

#pragma GCC visibility pop

#endif /* GOMP_AMP_MASK_H */
