/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Reads the headers of loaded objects.  */

#include "base/objects.h"
#include <stddef.h>

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
