/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Affinity masks, as the kernel keeps them per thread.  */

#ifndef GOMP_AMP_MASK_H
#define GOMP_AMP_MASK_H 1

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)

/* The mask of the thread that the kernel knows as THREAD, 0 being the calling
   one: a cpu_set_t of *SIZE bytes, which the caller frees.  NULL if the kernel
   does not answer, or memory is short.  */
extern void *gomp_amp_thread_mask (pid_t thread, size_t *size);

/* Whether MASK, a cpu_set_t of SIZE bytes or NULL for all CPUs, has CPU.  */
extern bool gomp_amp_mask_has (const void *mask, size_t size, unsigned cpu);

/* The number of CPUs that the machine can have, or that MASK reaches up to if
   these are more.  */
extern unsigned gomp_amp_mask_reach (const void *mask, size_t size);

#pragma GCC visibility pop

#endif /* GOMP_AMP_MASK_H */
