/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Looks for state of a thread in a module and in what it needs, as they are
   loaded.  */

#define _GNU_SOURCE 1
#include "fold/fold-module.h"
#include "base/objects.h"
#include <stdlib.h>
#include <string.h>

/* ELF32_ST_TYPE is the same.  */
#define TYPE_OF(symbol) ELF64_ST_TYPE ((symbol)->st_info)

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
  /* Shared and atomic.  How many modules had been unloaded by then, and in the
     lowest bit whether it keeps state.  */
  unsigned long word;
};

/* All of them, the last one first.  */
static struct module *modules;

/* The name of a library that is needed.  */
struct name
{
  struct name *next;
  bool found;
  char text[];
};

/* A search.  ADDRESS: where the region is.  BASE: of its module, which was
   FOUND.  UNLOADS: modules unloaded so far.  NEEDED: what was found to be
   needed.  MORE: another pass is due.  STATE: what the search is for, or memory
   was short.  */
struct search
{
  ElfW(Addr) address, base;
  unsigned long unloads;
  struct name *needed;
  bool found, more, state;
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

static bool
is_thread_import (const char *name)
{
  static const char *const imports[] =
    {
#define AMP_THREAD_IMPORT(name) name,
#include "fold/thread-state.def"
    };

  for (size_t i = 0; i < sizeof imports / sizeof *imports; i++)
    if (matches (name, imports[i]))
      return true;
  return false;
}

static bool
is_harmless (const char *name)
{
  static const char *const harmless[] =
    {
#define AMP_THREAD_HARMLESS(name) name,
#include "fold/thread-state.def"
    };

  for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
    if (strcmp (name, harmless[i]) == 0)
      return true;
  return false;
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

/* Whether the relocation of a symbol of DYNAMIC with the number NUMBER shows
   state of a thread.  Every import has a relocation.  One that refers to a
   thread-local variable of the module itself may have no symbol, but then there
   is a PT_TLS.  */

static inline bool
shows_state (const struct dynamic *dynamic, size_t number)
{
  const ElfW(Sym) *symbol = &dynamic->symbols[number];
  const char *name = dynamic->strings + symbol->st_name;

  if (number == 0)
    return false;
  if (TYPE_OF (symbol) == STT_TLS)
    return !is_harmless (name);
  return symbol->st_shndx == SHN_UNDEF && is_thread_import (name);
}

static bool
rel_shows_state (const struct dynamic *dynamic, const ElfW(Rel) *rel,
		 size_t size)
{
  for (size_t i = 0; rel != NULL && i < size / sizeof *rel; i++)
    if (shows_state (dynamic, SYMBOL_OF (rel[i].r_info)))
      return true;
  return false;
}

static bool
rela_shows_state (const struct dynamic *dynamic, const ElfW(Rela) *rela,
		  size_t size)
{
  for (size_t i = 0; rela != NULL && i < size / sizeof *rela; i++)
    if (shows_state (dynamic, SYMBOL_OF (rela[i].r_info)))
      return true;
  return false;
}

/* Whether INFO's module itself keeps state of a thread.  */

static bool
keeps_state (const struct dl_phdr_info *info, const struct dynamic *dynamic)
{
  for (unsigned i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_TLS
	&& info->dlpi_phdr[i].p_memsz != 0)
      return true;
  if (dynamic->symbols == NULL || dynamic->strings == NULL)
    return false;
  return (rel_shows_state (dynamic, dynamic->rel, dynamic->rel_size)
	  || rela_shows_state (dynamic, dynamic->rela, dynamic->rela_size)
	  || (dynamic->plt_is_rela
	      ? rela_shows_state (dynamic, dynamic->plt, dynamic->plt_size)
	      : rel_shows_state (dynamic, dynamic->plt, dynamic->plt_size)));
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
      search->state = true;
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
  if (keeps_state (info, dynamic))
    search->state = true;
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
  return search->state;
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

/* Whether SEARCH's module, or one that it can reach, keeps state of a
   thread.  */

static bool
look (struct search *search)
{
  dl_iterate_phdr (look_at_own, search);
  /* A library comes behind the first one that needs it, so that one pass finds
     nearly all.  */
  while (search->more && !search->state)
    {
      search->more = false;
      dl_iterate_phdr (look_at_needed, search);
    }
  while (search->needed != NULL)
    {
      struct name *name = search->needed;

      /* It was loaded under another name.  */
      search->state |= !name->found;
      search->needed = name->next;
      free (name);
    }
  return search->state;
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

/* Remember WORD of the module at BASE.  MODULE: its record, or NULL.  */

static void
remember (struct module *module, ElfW(Addr) base, unsigned long word)
{
  if (module != NULL)
    {
      __atomic_store_n (&module->word, word, __ATOMIC_RELAXED);
      return;
    }
  module = malloc (sizeof *module);
  if (module == NULL)
    return;
  module->base = base;
  module->word = word;
  module->next = __atomic_load_n (&modules, __ATOMIC_RELAXED);
  /* Release: others read the record.  Two of a module do no harm.  */
  while (!__atomic_compare_exchange_n (&modules, &module->next, module, true,
				       __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    continue;
}

bool
gomp_fold_keeps_thread_state (void (*fn) (void *))
{
  struct search search = { .address = (ElfW(Addr)) fn };
  struct module *module;
  unsigned long word;
  bool state;

  dl_iterate_phdr (find_own, &search);
  if (!search.found)
    return true;
  module = __atomic_load_n (&modules, __ATOMIC_ACQUIRE);
  while (module != NULL && module->base != search.base)
    module = module->next;
  if (module != NULL)
    {
      word = __atomic_load_n (&module->word, __ATOMIC_RELAXED);
      if ((word ^ search.unloads << 1) <= 1)
	return word & 1;
    }
  state = look (&search);
  remember (module, search.base, search.unloads << 1 | state);
  return state;
}
