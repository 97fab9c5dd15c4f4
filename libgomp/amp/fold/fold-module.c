/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Looks for what speaks of the kernel's threads in a module and in what it
   needs, as they are loaded.  */

#define _GNU_SOURCE 1
#include "fold/fold-module.h"
#include "base/objects.h"
#include <stdlib.h>
#include <string.h>

#if __WORDSIZE == 64
# define SYMBOL_OF ELF64_R_SYM
#else
# define SYMBOL_OF ELF32_R_SYM
#endif

/* A module that was looked at.  Never freed: another one that is loaded to its
   place has the record.  */
struct module
{
  /* Constant.  BASE: where it was loaded.  */
  struct module *next;
  ElfW(Addr) base;
  /* Shared and atomic.  IMPORT: a row of IMPORTS that it reaches, or NULL.
     UNLOADS: how many modules had been unloaded by then.  */
  const char *import;
  unsigned long unloads;
};

/* All of them, the last one first.  */
static struct module *modules;

/* What is looked for.  */
static const char *const imports[] =
  {
#define AMP_THREAD_IMPORT(name, reason) name,
#include "fold/thread-state.def"
  };

/* The name of a library that is needed.  */
struct name
{
  struct name *next;
  bool found;
  char text[];
};

/* A search.  ADDRESS: where the region is.  BASE: of its module, which was
   FOUND.  UNLOADS: modules unloaded so far.  NEEDED: what was found to be
   needed.  MORE: another pass is due.  IMPORT: what the search is for, or
   why it cannot be known.  */
struct search
{
  ElfW(Addr) address, base;
  unsigned long unloads;
  struct name *needed;
  bool found, more;
  const char *import;
};

/* The parts of a module's PT_DYNAMIC that are read here.  */
struct dynamic
{
  const char *strings;
  const ElfW(Sym) *symbols;
  const char *name;
  const void *rel, *rela, *plt;
  size_t rel_size, rela_size, plt_size;
  bool plt_is_rela;
};

static void
read_dynamic (const struct dl_phdr_info *info, struct dynamic *dynamic)
{
  const ElfW(Dyn) *soname = NULL;

  memset (dynamic, 0, sizeof *dynamic);
  for (const ElfW(Dyn) *entry = gomp_amp_dynamic (info);
       entry->d_tag != DT_NULL; entry++)
    {
      const void *at = gomp_amp_dynamic_address (info, entry->d_un.d_ptr);

      switch (entry->d_tag)
	{
	case DT_STRTAB:
	  dynamic->strings = at;
	  break;
	case DT_SYMTAB:
	  dynamic->symbols = at;
	  break;
	case DT_SONAME:
	  soname = entry;
	  break;
	case DT_REL:
	  dynamic->rel = at;
	  break;
	case DT_RELA:
	  dynamic->rela = at;
	  break;
	case DT_JMPREL:
	  dynamic->plt = at;
	  break;
	case DT_RELSZ:
	  dynamic->rel_size = entry->d_un.d_val;
	  break;
	case DT_RELASZ:
	  dynamic->rela_size = entry->d_un.d_val;
	  break;
	case DT_PLTRELSZ:
	  dynamic->plt_size = entry->d_un.d_val;
	  break;
	case DT_PLTREL:
	  dynamic->plt_is_rela = entry->d_un.d_val == DT_RELA;
	  break;
	}
    }
  if (soname != NULL && dynamic->strings != NULL)
    dynamic->name = dynamic->strings + soname->d_un.d_val;
}

/* Whether NAME is PATTERN, or begins with what PATTERN has before `*'.  */

static bool
matches (const char *name, const char *pattern)
{
  while (*pattern == *name && *pattern != '\0')
    pattern++, name++;
  return *pattern == '*' || *pattern == *name;
}

/* NAME if it matches a row of IMPORTS, or else NULL.  A copy, since its module
   may be unloaded; the row if memory is short.  */

static const char *
find_import (const char *name)
{
  for (size_t i = 0; i < sizeof imports / sizeof *imports; i++)
    if (matches (name, imports[i]))
      {
	const char *copy = strdup (name);

	return copy != NULL ? copy : imports[i];
      }
  return NULL;
}

static bool
is_exception (const char *name)
{
  static const char *const exceptions[] =
    {
#define AMP_THREAD_EXCEPTION(name) name,
#include "fold/thread-state.def"
    };

  for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
    if (strncmp (name, exceptions[i], strlen (exceptions[i])) == 0)
      return true;
  return false;
}

/* What the relocation of a symbol of DYNAMIC with the number NUMBER imports of
   what is looked for, or NULL.  Every import has a relocation.  */

static inline const char *
import_of (const struct dynamic *dynamic, size_t number)
{
  const ElfW(Sym) *symbol = &dynamic->symbols[number];

  return (number != 0 && symbol->st_shndx == SHN_UNDEF
	  ? find_import (dynamic->strings + symbol->st_name) : NULL);
}

static const char *
rel_import (const struct dynamic *dynamic, const ElfW(Rel) *rel, size_t size)
{
  const char *found = NULL;

  for (size_t i = 0; rel != NULL && i < size / sizeof *rel && found == NULL;
       i++)
    found = import_of (dynamic, SYMBOL_OF (rel[i].r_info));
  return found;
}

static const char *
rela_import (const struct dynamic *dynamic, const ElfW(Rela) *rela,
	     size_t size)
{
  const char *found = NULL;

  for (size_t i = 0; rela != NULL && i < size / sizeof *rela && found == NULL;
       i++)
    found = import_of (dynamic, SYMBOL_OF (rela[i].r_info));
  return found;
}

/* What the module of DYNAMIC itself imports of what is looked for.  */

static const char *
own_import (const struct dynamic *dynamic)
{
  const char *found;

  if (dynamic->symbols == NULL || dynamic->strings == NULL)
    return NULL;
  found = rel_import (dynamic, dynamic->rel, dynamic->rel_size);
  if (found == NULL)
    found = rela_import (dynamic, dynamic->rela, dynamic->rela_size);
  if (found == NULL)
    found = (dynamic->plt_is_rela
	     ? rela_import (dynamic, dynamic->plt, dynamic->plt_size)
	     : rel_import (dynamic, dynamic->plt, dynamic->plt_size));
  return found;
}

/* Add TEXT to what is needed.  */

static void
need (struct search *search, const char *text)
{
  struct name *name;

  if (is_exception (text))
    return;
  for (name = search->needed; name != NULL; name = name->next)
    if (strcmp (name->text, text) == 0)
      return;
  name = malloc (sizeof *name + strlen (text) + 1);
  if (name == NULL)
    {
      search->import = "(memory is short)";
      return;
    }
  strcpy (name->text, text);
  name->found = false;
  name->next = search->needed;
  search->needed = name;
  search->more = true;
}

/* INFO's module can be reached.  */

static void
reach (struct search *search, const struct dl_phdr_info *info,
       const struct dynamic *dynamic)
{
  if (search->import == NULL)
    search->import = own_import (dynamic);
  for (const ElfW(Dyn) *entry = gomp_amp_dynamic (info);
       entry->d_tag != DT_NULL && dynamic->strings != NULL; entry++)
    if (entry->d_tag == DT_NEEDED)
      need (search, dynamic->strings + entry->d_un.d_val);
}

/* Whether the module is NAME.  PATH is its file, SONAME its name in itself, or
   NULL.  */

static bool
is_named (const char *name, const char *path, const char *soname)
{
  const char *file = strrchr (path, '/');

  return ((soname != NULL && strcmp (name, soname) == 0)
	  || strcmp (name, path) == 0
	  || (file != NULL && strcmp (name, file + 1) == 0));
}

static int
look_at_needed (struct dl_phdr_info *info,
		size_t size __attribute__ ((unused)), void *data)
{
  struct search *search = data;
  struct dynamic dynamic;

  read_dynamic (info, &dynamic);
  for (struct name *name = search->needed; name != NULL; name = name->next)
    if (!name->found && is_named (name->text, info->dlpi_name, dynamic.name))
      {
	name->found = true;
	reach (search, info, &dynamic);
	break;
      }
  return search->import != NULL;
}

static int
look_at_own (struct dl_phdr_info *info,
	     size_t size __attribute__ ((unused)), void *data)
{
  struct search *search = data;
  struct dynamic dynamic;

  if (!gomp_amp_in_object (info, search->address))
    return 0;
  read_dynamic (info, &dynamic);
  reach (search, info, &dynamic);
  return 1;
}

/* Look at SEARCH's module, and at all that it can reach.  */

static void
look (struct search *search)
{
  dl_iterate_phdr (look_at_own, search);
  /* A library comes behind the first one that needs it, so that one pass finds
     nearly all.  */
  while (search->more && search->import == NULL)
    {
      search->more = false;
      dl_iterate_phdr (look_at_needed, search);
    }
  while (search->needed != NULL)
    {
      struct name *name = search->needed;

      search->needed = name->next;
      free (name);
    }
}

static int
find_own (struct dl_phdr_info *info, size_t size __attribute__ ((unused)),
	  void *data)
{
  struct search *search = data;

  if (!gomp_amp_in_object (info, search->address))
    return 0;
  search->found = true;
  search->base = info->dlpi_addr;
  search->unloads = info->dlpi_subs;
  return 1;
}

/* Remember what SEARCH has found.  MODULE: the record, or NULL.  */

static void
remember (struct module *module, const struct search *search)
{
  if (module != NULL)
    {
      /* Who reads the one sees the other, or looks again.  */
      __atomic_store_n (&module->import, search->import, __ATOMIC_RELAXED);
      __atomic_store_n (&module->unloads, search->unloads, __ATOMIC_RELEASE);
      return;
    }
  module = malloc (sizeof *module);
  if (module == NULL)
    return;
  module->base = search->base;
  module->import = search->import;
  module->unloads = search->unloads;
  module->next = __atomic_load_n (&modules, __ATOMIC_RELAXED);
  /* Release: others read the record.  Two of a module do no harm.  */
  while (!__atomic_compare_exchange_n (&modules, &module->next, module, true,
				       __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    continue;
}

const char *
gomp_fold_kernel_import (void (*fn) (void *))
{
  struct search search = { .address = (ElfW(Addr)) fn };
  struct module *module;

  dl_iterate_phdr (find_own, &search);
  if (!search.found)
    return "code in no module";
  module = __atomic_load_n (&modules, __ATOMIC_ACQUIRE);
  while (module != NULL && module->base != search.base)
    module = module->next;
  if (module != NULL
      && (__atomic_load_n (&module->unloads, __ATOMIC_ACQUIRE)
	  == search.unloads))
    return __atomic_load_n (&module->import, __ATOMIC_RELAXED);
  look (&search);
  remember (module, &search);
  return search.import;
}
