/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Finds the functions of sites in the symbol tables of files.  */

#include "sites/site-function.h"
#include "base/objects.h"
#include "sites/sites.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file in memory.  It may be damaged.  */
struct file
{
  const char *data;
  size_t size;
};

/* What is looked for, and where its text goes.  */
struct search
{
  ElfW(Addr) address;
  char *text;
  size_t size;
};

/* COUNT entries of SIZE bytes at OFFSET of FILE; NULL if it ends before, or if
   they would not be aligned.  */

static const void *
entries (const struct file *file, size_t offset, size_t count, size_t size)
{
  if (offset > file->size || count > (file->size - offset) / size
      || offset % _Alignof (ElfW(Addr)) != 0)
    return NULL;
  return file->data + offset;
}

/* Whether FILE, with HEADER, is the one that INFO's module was loaded from.  */

static bool
same_file (const struct file *file, const ElfW(Ehdr) *header,
	   const struct dl_phdr_info *info)
{
  const void *segments;

  if (memcmp (header->e_ident, ELFMAG, SELFMAG) != 0
      || header->e_phnum != info->dlpi_phnum)
    return false;
  segments = entries (file, header->e_phoff, header->e_phnum,
		      sizeof (ElfW(Phdr)));
  return (segments != NULL
	  && memcmp (segments, info->dlpi_phdr,
		     header->e_phnum * sizeof (ElfW(Phdr))) == 0);
}

/* Look for the function of SEARCH in TABLE, a symbol table of FILE, whose names
   are in NAMES.  BASE was added to the addresses of the file.  */

static void
look_in_table (const struct file *file, const ElfW(Shdr) *table,
	       const ElfW(Shdr) *names, ElfW(Addr) base,
	       const struct search *search)
{
  size_t count = table->sh_size / sizeof (ElfW(Sym));
  const ElfW(Sym) *symbols = entries (file, table->sh_offset, count,
				      sizeof *symbols);

  /* The names' offset need not be aligned.  */
  if (symbols == NULL || names->sh_offset > file->size
      || names->sh_size > file->size - names->sh_offset)
    return;
  for (size_t i = 0; i < count; i++)
    if (ELF64_ST_TYPE (symbols[i].st_info) == STT_FUNC
	&& search->address - base - symbols[i].st_value < symbols[i].st_size
	&& symbols[i].st_name < names->sh_size)
      {
	const char *name = file->data + names->sh_offset + symbols[i].st_name;
	size_t most = names->sh_size - symbols[i].st_name;

	snprintf (search->text, search->size, " (%.*s)",
		  (int) strnlen (name, most < search->size ? most
						  : search->size), name);
	return;
      }
}

static void
look_in_file (const struct file *file, const struct dl_phdr_info *info,
	      const struct search *search)
{
  const ElfW(Ehdr) *header = entries (file, 0, 1, sizeof *header);
  const ElfW(Shdr) *sections;

  if (header == NULL || !same_file (file, header, info))
    return;
  sections = entries (file, header->e_shoff, header->e_shnum,
		      sizeof *sections);
  for (unsigned i = 0; sections != NULL && i < header->e_shnum; i++)
    if (sections[i].sh_type == SHT_SYMTAB
	&& sections[i].sh_link < header->e_shnum)
      look_in_table (file, &sections[i], &sections[sections[i].sh_link],
		     info->dlpi_addr, search);
}

static int
look_in_object (struct dl_phdr_info *info,
		size_t size __attribute__ ((unused)), void *data)
{
  const struct search *search = data;
  const char *name = info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe";
  struct stat status;
  struct file file;
  int fd;

  if (!gomp_amp_in_object (info, search->address))
    return 0;
  fd = open (name, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return 1;
  if (fstat (fd, &status) == 0)
    {
      file.size = status.st_size;
      file.data = mmap (NULL, file.size, PROT_READ, MAP_PRIVATE, fd, 0);
      if (file.data != MAP_FAILED)
	{
	  look_in_file (&file, info, search);
	  munmap ((void *) file.data, file.size);
	}
    }
  close (fd);
  return 1;
}

const char *
gomp_amp_describe_site (const struct gomp_amp_site *site,
			char text[GOMP_AMP_SITE_TEXT])
{
  const void *address = __atomic_load_n (&site->address, __ATOMIC_RELAXED);
  int used = snprintf (text, GOMP_AMP_SITE_TEXT, "%s",
		       site->name != NULL ? site->name : "of generated code");
  struct search search = { .address = (ElfW(Addr)) address };

  if (site->name == NULL || address == NULL || used >= GOMP_AMP_SITE_TEXT)
    return text;
  search.text = text + used;
  search.size = GOMP_AMP_SITE_TEXT - used;
  dl_iterate_phdr (look_in_object, &search);
  return text;
}
