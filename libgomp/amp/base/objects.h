/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The objects (the program and shared libraries) that the loader has loaded,
   as dl_iterate_phdr shows them.  */

#ifndef GOMP_AMP_OBJECTS_H
#define GOMP_AMP_OBJECTS_H 1

#ifndef _GNU_SOURCE
# define _GNU_SOURCE 1
#endif
#include <link.h>
#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* Whether ADDRESS lies in memory that INFO's object has loaded.  */
extern bool gomp_amp_in_object (const struct dl_phdr_info *info,
				ElfW(Addr) address);

/* The entries of INFO's object's PT_DYNAMIC, of which the last one is DT_NULL.
   An object that has none gets an empty list.  */
extern const ElfW(Dyn) *gomp_amp_dynamic (const struct dl_phdr_info *info);

/* The address of an entry of that list, whose value is ENTRY; NULL if no
   segment of the object contains it.  */
extern const void *gomp_amp_dynamic_address (const struct dl_phdr_info *info,
					     ElfW(Addr) entry);

#pragma GCC visibility pop

#endif /* GOMP_AMP_OBJECTS_H */
