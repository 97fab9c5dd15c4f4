/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Whether the ids of a module's regions may share a thread.  They must not if
   the module keeps state of a thread or changes its thread, or if one does that
   it can reach by DT_NEEDED.  thread-state.def says how that shows.  What a
   module reaches by dlopen or by a pointer is not seen.  */

#ifndef GOMP_AMP_FOLD_MODULE_H
#define GOMP_AMP_FOLD_MODULE_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* Whether the module of FN, a region that the calling thread is about to run,
   keeps state of a thread.  True for code in no module, which is generated, and
   if memory is short.  A module is looked at once, and once more if another one
   was unloaded meanwhile: it might be at the place of that.  Takes the lock of
   dl_iterate_phdr.  */
extern bool gomp_fold_keeps_thread_state (void (*fn) (void *));

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_MODULE_H */
