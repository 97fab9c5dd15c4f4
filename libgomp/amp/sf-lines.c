/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The lines of a file of speedup factors, in memory.  */

#define _GNU_SOURCE 1
#include "sf-lines.h"
#include <errno.h>
#include <link.h>
#include <search.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where an address is.  */
struct place
{
  uintptr_t address;
  const char *module;		/* Its file, or NULL.  */
  uintptr_t base;		/* Where that was loaded.  */
};

/* If the module of INFO has PLACE's address, complete PLACE and return 1.  */

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
      /* Segments ascend; the first begins the module, on a page.  */
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
gomp_amp_sf_site_name (const void *site)
{
  struct place place = { .address = (uintptr_t) site };
  const char *module;
  char *name = NULL;
  size_t size;
  FILE *stream;

  /* Not dladdr, which takes the lock that dlopen holds while a plugin's
     constructors run: they may be waiting for our thread.  */
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

struct gomp_amp_sf_line *
gomp_amp_new_sf_line (char *site, unsigned long samples, unsigned count,
		      const double *sf)
{
  struct gomp_amp_sf_line *line
    = malloc (sizeof *line + count * sizeof line->sf[0]);

  if (line == NULL)
    {
      free (site);
      return NULL;
    }
  line->site = site;
  line->samples = samples;
  line->count = count;
  memcpy (line->sf, sf, count * sizeof line->sf[0]);
  return line;
}

static int
compare_lines (const void *a, const void *b)
{
  return strcmp (((const struct gomp_amp_sf_line *) a)->site,
		 ((const struct gomp_amp_sf_line *) b)->site);
}

struct gomp_amp_sf_line *
gomp_amp_find_sf_line (const gomp_amp_sf_lines *lines, const char *site)
{
  struct gomp_amp_sf_line key = { .site = (char *) site };
  void *node = tfind (&key, lines, compare_lines);

  return node != NULL ? *(struct gomp_amp_sf_line **) node : NULL;
}

bool
gomp_amp_add_sf_line (gomp_amp_sf_lines *lines, struct gomp_amp_sf_line *line)
{
  void *node = tsearch (line, lines, compare_lines);

  return node != NULL && *(struct gomp_amp_sf_line **) node == line;
}

void
gomp_amp_remove_sf_line (gomp_amp_sf_lines *lines, const char *site)
{
  struct gomp_amp_sf_line *line = gomp_amp_find_sf_line (lines, site);

  if (line == NULL)
    return;
  tdelete (line, lines, compare_lines);
  free (line->site);
  free (line);
}
