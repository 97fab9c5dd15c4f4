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

struct dl_phdr_info;

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

/* How many objects have been unloaded so far.  Takes a lock, of which the
   holders neither wait nor call others: some 200 instructions.  */
extern unsigned long gomp_amp_count_unloads (void);

/* An object that may be unloaded.  BASE, END and UNWINDS: the addresses of its
   first byte, of its end, and of its table of functions.  MAP is NULL if none
   of this is known.  UNLOADS: how many had been unloaded then.  */
struct gomp_amp_object
{
  unsigned long unloads;
  const struct link_map *map;
  ElfW(Addr) base;
  const void *end, *unwinds;
  char *name;
};

/* Called before the next two are.  Takes a lock that dlopen holds while it runs
   constructors, so the library's own constructor calls it.  */
extern void gomp_amp_init_objects (void);

/* Store in *OBJECT, which is all zero or was stored before, which object the
   code at ADDRESS is in.  The caller frees OBJECT->name.  */
extern void gomp_amp_note_object (struct gomp_amp_object *object,
				  const void *address);

/* Whether the code at ADDRESS, which the calling thread is about to run, is in
   OBJECT, or in one that was loaded to its place and has its name and its parts
   at the same addresses.  Before glibc 2.35, which cannot say that, false if
   any object was unloaded since.  Budget: 100 instructions, or those of
   gomp_amp_count_unloads.  */
extern bool gomp_amp_same_object (const struct gomp_amp_object *object,
				  const void *address);

#pragma GCC visibility pop

#endif /* GOMP_AMP_OBJECTS_H */
