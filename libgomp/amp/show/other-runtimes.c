/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Lists the other OpenMP runtimes of the process for OMP_DISPLAY_ENV=verbose,
   for example the copies of libgomp in Python wheels.  */

#define _GNU_SOURCE 1
#include "show/other-runtimes.h"
#include "base/message.h"
#include "base/objects.h"
#include "base/parse.h"
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* Further copies are not listed.  */
#define MAX_NAMED 32

/* The load addresses of the runtimes listed so far, and the process that
   listed them.  A forked child does not report its parent's again at its
   end.  */
static ElfW(Addr) named[MAX_NAMED];
static unsigned n_named;
static pid_t naming_process;

/* The tables for symbol lookup in one object.  */
struct symbols
{
  const ElfW(Sym) *table;
  const char *strings;
  const uint32_t *gnu_hash;	/* NULL = none.  */
  const uint32_t *sysv_hash;	/* NULL = none.  */
};

static struct symbols
symbols_of (const struct dl_phdr_info *info)
{
  struct symbols symbols = { 0 };

  for (const ElfW(Dyn) *entry = gomp_amp_dynamic (info);
       entry->d_tag != DT_NULL; entry++)
    {
      const void *address = gomp_amp_dynamic_address (info,
						      entry->d_un.d_ptr);

      switch (entry->d_tag)
	{
	case DT_SYMTAB: symbols.table = address; break;
	case DT_STRTAB: symbols.strings = address; break;
	case DT_GNU_HASH: symbols.gnu_hash = address; break;
	case DT_HASH: symbols.sysv_hash = address; break;
	default: break;
	}
    }
  return symbols;
}

static bool
defined_as_p (const struct symbols *symbols, uint32_t index, const char *name)
{
  const ElfW(Sym) *symbol = &symbols->table[index];

  return symbol->st_shndx != SHN_UNDEF
	 && strcmp (symbols->strings + symbol->st_name, name) == 0;
}

/* Whether the object of SYMBOLS, which has a GNU hash table, defines NAME.  */

static bool
gnu_hash_defines_p (const struct symbols *symbols, const char *name)
{
  const uint32_t *header = symbols->gnu_hash;
  uint32_t n_buckets = header[0], first = header[1], bloom_words = header[2];
  const uint32_t *buckets
    = header + 4 + bloom_words * (sizeof (ElfW(Addr)) / sizeof (uint32_t));
  const uint32_t *chain = buckets + n_buckets;
  uint32_t hash = 5381, index;

  for (const char *p = name; *p != '\0'; p++)
    hash = hash * 33 + (unsigned char) *p;
  index = n_buckets != 0 ? buckets[hash % n_buckets] : 0;
  if (index < first)
    return false;
  do
    if (((chain[index - first] ^ hash) & ~UINT32_C (1)) == 0
	&& defined_as_p (symbols, index, name))
      return true;
  while ((chain[index++ - first] & 1) == 0);
  return false;
}

static bool
defines_p (const struct symbols *symbols, const char *name)
{
  if (symbols->table == NULL || symbols->strings == NULL)
    return false;
  if (symbols->gnu_hash != NULL)
    return gnu_hash_defines_p (symbols, name);
  /* The second word of the older table is the number of symbols.  */
  if (symbols->sysv_hash != NULL)
    for (uint32_t i = 1; i < symbols->sysv_hash[1]; i++)
      if (defined_as_p (symbols, i, name))
	return true;
  return false;
}

/* The kind of runtime that INFO's object is, by its symbols or its file's
   name; NULL if it is none.  The runtimes of LLVM and Intel define libgomp's
   functions too.  */

static const char *
kind_of (const struct dl_phdr_info *info)
{
  struct symbols symbols = symbols_of (info);
  const char *slash = strrchr (info->dlpi_name, '/');
  const char *file = slash != NULL ? slash + 1 : info->dlpi_name;

  if (defines_p (&symbols, "__kmpc_fork_call"))
    return "LLVM or Intel";
  if (defines_p (&symbols, "ompx_amp_version"))
    return "libgomp-amp";
  if (defines_p (&symbols, "GOMP_parallel")
      || strncmp (file, "libgomp.so", 10) == 0
      || strncmp (file, "libgomp-", 8) == 0)
    return "libgomp";
  if (strncmp (file, "libomp.so", 9) == 0 || strncmp (file, "libomp-", 7) == 0
      || strncmp (file, "libiomp5", 8) == 0)
    return "LLVM or Intel";
  return NULL;
}

/* Add OBJECT's address to NAMED.  Returns false if it was there or NAMED is
   full.  */

static bool
name_now_p (ElfW(Addr) object)
{
  for (unsigned i = 0; i < n_named; i++)
    if (named[i] == object)
      return false;
  if (n_named == MAX_NAMED)
    return false;
  named[n_named++] = object;
  return true;
}

/* For dl_iterate_phdr: list INFO's object if it is another runtime and not
   listed yet.  DATA is the stream, or NULL for a message each.  */

static int
show (struct dl_phdr_info *info, size_t size __attribute__ ((unused)),
      void *data)
{
  FILE *stream = data;
  const char *kind = kind_of (info);
  bool own = gomp_amp_in_object (info, (ElfW(Addr)) &n_named);
  char file[PATH_MAX];

  if (kind == NULL || own || !name_now_p (info->dlpi_addr))
    return 0;
  gomp_amp_printable (file, sizeof file,
		      *info->dlpi_name != '\0' ? info->dlpi_name
		      : "the program itself");
  if (stream != NULL)
    fprintf (stream, "%s%s (%s)", n_named > 1 ? ", " : "", file, kind);
  else
    gomp_error ("another OpenMP runtime was loaded after the start: %s (%s);"
		" it reads OMP_SCHEDULE too, and code that is bound to it does"
		" not run on libgomp-amp", file, kind);
  return 0;
}

void
gomp_amp_name_later_runtimes (void)
{
  if (getpid () == naming_process)
    dl_iterate_phdr (show, NULL);
}

void
gomp_amp_display_other_runtimes (FILE *stream)
{
  n_named = 0;
  fputs ("  LIBGOMP_AMP_OTHER_RUNTIMES = '", stream);
  dl_iterate_phdr (show, stream);
  fputs ("'\n", stream);
  naming_process = getpid ();
}
