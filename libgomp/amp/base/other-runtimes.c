/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Lists the other OpenMP runtimes of the process for OMP_DISPLAY_ENV=verbose,
   for example the copies of libgomp in Python wheels.  */

#define _GNU_SOURCE 1
#include "base/message.h"
#include "base/objects.h"
#include "base/other-runtimes.h"
#include "base/parse.h"
#include <limits.h>
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

/* The kind of runtime that INFO's object is, by its file's name; NULL if it is
   none.  */

static const char *
kind_of (const struct dl_phdr_info *info)
{
  const char *slash = strrchr (info->dlpi_name, '/');
  const char *file = slash != NULL ? slash + 1 : info->dlpi_name;

  if (strncmp (file, "libgomp.so", 10) == 0
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
  gomp_amp_printable (file, sizeof file, info->dlpi_name);
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
