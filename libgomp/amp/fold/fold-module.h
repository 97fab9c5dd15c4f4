/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Whether the ids of a module's regions may be carried.  They must not if the
   module imports what speaks of the kernel's threads (thread-state.def), or if
   one does that it can reach by DT_NEEDED.  What a module reaches by dlopen or
   by a pointer is not seen, and neither are system calls by number.  */

#ifndef GOMP_AMP_FOLD_MODULE_H
#define GOMP_AMP_FOLD_MODULE_H 1

#pragma GCC visibility push(hidden)

/* What the module of FN, a region that the calling thread is about to run,
   imports or reaches that speaks of the kernel's threads; NULL if nothing.  A
   text that is never freed; "code in no module" for generated code.  A module
   is looked at once, and once more if another one was unloaded meanwhile: it
   might be at the place of that.  Takes the lock of dl_iterate_phdr.  */
extern const char *gomp_fold_kernel_import (void (*fn) (void *));

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_MODULE_H */
