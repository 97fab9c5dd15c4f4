/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Finds where the kernel keeps the number of a thread's CPU.  */

#ifndef _GNU_SOURCE
# define _GNU_SOURCE 1
#endif
#include <dlfcn.h>
#include "libgomp.h"
#include "machine/cpu.h"

ptrdiff_t gomp_amp_rseq_cpu;

void
gomp_amp_init_cpu (void)
{
  /* struct rseq begins with cpu_id_start and cpu_id, 32 bits each.  This is
     the kernel's ABI and does not change.  */
  const unsigned cpu_id = 4;

  /* Looked up, not linked: the loader defines these symbols, and libgomp.so.1
     must not need more libraries than upstream's, nor a glibc this new.  A
     size of 0 means that registration is switched off
     (glibc.pthread.rseq=0).  */
  const ptrdiff_t *offset = dlsym (RTLD_DEFAULT, "__rseq_offset");
  const unsigned *size = dlsym (RTLD_DEFAULT, "__rseq_size");
  if (offset != NULL && size != NULL && *size != 0)
    __atomic_store_n (&gomp_amp_rseq_cpu, *offset + cpu_id, __ATOMIC_RELAXED);
}
