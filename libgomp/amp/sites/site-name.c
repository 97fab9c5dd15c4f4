/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Names sites by their modules.  */

#define _GNU_SOURCE 1
#include "sites/sites.h"
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where an address is.  */
struct place
{
  uintptr_t address;
  const char *module;		/* Its file, or NULL.  */
  uintptr_t base;		/* Where the file was loaded.  */
};

/* If the module of INFO contains PLACE's address, complete PLACE and return
   1.  */

static int
look_in_module (struct dl_phdr_info *info,
		size_t size __attribute__ ((unused)), void *data)
{
  struct place *place = data;
  bool found = false;

  place->base = 0;
  for (unsigned i = 0; i < info->dlpi_phnum; i++)
    {
      const ElfW (Phdr) *header = &info->dlpi_phdr[i];
      uintptr_t start = info->dlpi_addr + header->p_vaddr;

      if (header->p_type != PT_LOAD)
	continue;
      /* Segments are in ascending order.  The first one begins the module, on a
	 page.  */
      if (place->base == 0)
	place->base = start & -(uintptr_t) sysconf (_SC_PAGESIZE);
      found |= place->address - start < header->p_memsz;
    }
  if (found)
    place->module = info->dlpi_name[0] != '\0' ? info->dlpi_name
					       : program_invocation_name;
  return found;
}

char *
gomp_amp_site_name (const void *address)
{
  struct place place = { .address = (uintptr_t) address };
  const char *module;
  char *name = NULL;
  size_t size;
  FILE *stream;

  /* Not dladdr: it takes the lock that dlopen holds while the constructors of a
     plugin run, and these may wait for our thread.  */
  dl_iterate_phdr (look_in_module, &place);
  if (place.module == NULL)
    return NULL;
  module = strrchr (place.module, '/');
  module = module != NULL ? module + 1 : place.module;
  stream = open_memstream (&name, &size);
  if (stream == NULL)
    return NULL;
  for (; *module != '\0'; module++)
    if (*module <= ' ' || *module > '~' || *module == '#' || *module == '%')
      fprintf (stream, "%%%02X", (unsigned char) *module);
    else
      fputc (*module, stream);
  fprintf (stream, "+0x%lx", (unsigned long) (place.address - place.base));
  if (fclose (stream) != 0)
    {
      free (name);
      return NULL;
    }
  return name;
}
