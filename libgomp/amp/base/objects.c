/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Reads the headers of loaded objects.  */

#define _GNU_SOURCE 1
#include "base/objects.h"
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

bool
gomp_amp_in_object (const struct dl_phdr_info *info, ElfW(Addr) address)
{
  for (unsigned i = 0; i < info->dlpi_phnum; i++)
    {
      const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

      if (segment->p_type == PT_LOAD
	  && address - (info->dlpi_addr + segment->p_vaddr)
	     < segment->p_memsz)
	return true;
    }
  return false;
}

const ElfW(Dyn) *
gomp_amp_dynamic (const struct dl_phdr_info *info)
{
  static const ElfW(Dyn) none = { .d_tag = DT_NULL };

  for (unsigned i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
      return (const void *) (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
  return &none;
}

/* The loader has relocated the entry, except where PT_DYNAMIC is
   read-only.  */

const void *
gomp_amp_dynamic_address (const struct dl_phdr_info *info, ElfW(Addr) entry)
{
  if (gomp_amp_in_object (info, entry))
    return (const void *) entry;
  if (gomp_amp_in_object (info, info->dlpi_addr + entry))
    return (const void *) (info->dlpi_addr + entry);
  return NULL;
}

static int
note_unloads (struct dl_phdr_info *info,
	      size_t size __attribute__ ((unused)), void *data)
{
  *(unsigned long *) data = info->dlpi_subs;
  return 1;
}

unsigned long
gomp_amp_count_unloads (void)
{
  unsigned long unloads = 0;

  dl_iterate_phdr (note_unloads, &unloads);
  return unloads;
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE
/* The loader's function, which takes no lock; NULL before glibc 2.35.  */
static __typeof__ (_dl_find_object) *find_object;

void
gomp_amp_init_objects (void)
{
  /* Not linked: libgomp.so.1 does not need a glibc this new.  */
  find_object = (__typeof__ (find_object)) dlsym (RTLD_DEFAULT,
						  "_dl_find_object");
}

/* Store in *OBJECT, but for its name, which one the code at ADDRESS is in.
   Returns whether that is known.  */

static inline bool
look_up (const void *address, struct gomp_amp_object *object)
{
  struct dl_find_object found;

  if (find_object == NULL || find_object ((void *) address, &found) != 0
      || found.dlfo_link_map == NULL)
    return false;
  object->map = found.dlfo_link_map;
  object->base = found.dlfo_link_map->l_addr;
  object->end = found.dlfo_map_end;
  object->unwinds = found.dlfo_eh_frame;
  return true;
}
#else
void
gomp_amp_init_objects (void)
{
}

static inline bool
look_up (const void *address __attribute__ ((unused)),
	 struct gomp_amp_object *object __attribute__ ((unused)))
{
  return false;
}
#endif

void
gomp_amp_note_object (struct gomp_amp_object *object, const void *address)
{
  struct gomp_amp_object found;

  free (object->name);
  object->map = NULL;
  object->name = NULL;
  object->unloads = gomp_amp_count_unloads ();
  if (!look_up (address, &found))
    return;
  found.unloads = object->unloads;
  found.name = strdup (found.map->l_name);
  if (found.name != NULL)
    *object = found;
}

bool
gomp_amp_same_object (const struct gomp_amp_object *object,
		      const void *address)
{
  struct gomp_amp_object found;

  if (object->map == NULL)
    return object->unloads == gomp_amp_count_unloads ();
  /* The memory of an object's map is used again when it was unloaded, so the
     name counts as well.  Its file may have been replaced, so the addresses of
     its parts do, too.  */
  return (look_up (address, &found) && found.map == object->map
	  && found.base == object->base && found.end == object->end
	  && found.unwinds == object->unwinds
	  && strcmp (found.map->l_name, object->name) == 0);
}
