/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Loops with speedup factors of their own: which loop a thread is in, and what
   GOMP_AMP_VIRTUAL_SF says of it.

   The file is text, one line a loop:

     module 0xstart-0xend class:SF,class:SF,...

   with the module's file name, in which what is not printable, a blank or '%'
   is written as %XX, and the addresses, the second one exclusive, of which
   the loop has one, as the module's file gives them.  Class 0 is the slowest
   of the virtual machine's.  */

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>
#include "libgomp.h"
#include "clocks.h"
#include "parse.h"
#include "sites.h"
#include "virtual.h"

struct line
{
  struct line *next;
  char *module;
  uintptr_t start, end;
  bool used;
  struct gomp_virtual_factors factors;
};

static struct line *lines;

/* Turn the %XX of NAME into what they stand for.  */

static void
unescape (char *name)
{
  char *to = name;

  for (const char *from = name; *from != '\0'; from++)
    {
      unsigned code;
      if (*from == '%' && sscanf (from + 1, "%2x", &code) == 1)
	{
	  *to++ = code;
	  from += 2;
	}
      else
	*to++ = *from;
    }
  *to = '\0';
}

/* Read TEXT into a new line; NULL if it is malformed.  */

static struct line *
read_line (const char *text)
{
  double sf[GOMP_AMP_MAX_CLASSES];
  double fastest = 0;
  unsigned count, classes = gomp_virtual_machine.classes;
  int factors = 0;
  char *module;
  unsigned long start, end;
  struct line *line;
  const char *at;

  if (sscanf (text, "%ms %lx-%lx %n", &module, &start, &end, &factors) < 1)
    return NULL;
  at = text + factors;
  count = factors ? gomp_amp_read_sf_list (&at, 1e-3, 1e3, sf) : 0;
  if (count == 0 || count > classes || !gomp_amp_at_end (at))
    {
      free (module);
      return NULL;
    }
  line = gomp_malloc_cleared (sizeof *line);
  unescape (module);
  line->module = module;
  line->start = start;
  line->end = end;
  for (unsigned i = 0; i < classes; i++)
    {
      if (i >= count || sf[i] == 0)
	sf[i] = 1;
      if (sf[i] > fastest)
	fastest = sf[i];
    }
  /* The program's own time is that of the fastest class, in this loop, too.  */
  for (unsigned i = 0; i < classes; i++)
    line->factors.slowness[classes - 1 - i] = fastest / sf[i];
  gomp_virtual_sum_capacity (&line->factors);
  return line;
}

void
gomp_virtual_init_loops (void)
{
  const char *name = gomp_amp_options.virtual_sf;
  char *text = NULL;
  size_t size = 0;
  unsigned number = 0;
  void *nothing;
  FILE *file;

  if (name == NULL)
    return;
  file = fopen (name, "re");
  if (file == NULL)
    {
      gomp_error ("GOMP_AMP_VIRTUAL_SF: cannot read %s: %m; loops have no"
		  " factors of their own", name);
      return;
    }
  while (getline (&text, &size, file) > 0)
    {
      struct line *line = read_line (text);

      number++;
      if (line == NULL)
	gomp_error ("%s:%u: not a loop's factors; the line is ignored", name,
		    number);
      else
	{
	  line->next = lines;
	  lines = line;
	}
    }
  free (text);
  fclose (file);
  /* Its first call loads the unwinder.  */
  backtrace (&nothing, 1);
}

/* The factors of the loop that calls the runtime so that it returns to
   ADDRESS.  */

static const struct gomp_virtual_factors *
find_line (uintptr_t address)
{
  struct link_map *map;
  Dl_info info;
  char path[4096];
  ssize_t length;
  uintptr_t function, call = address - 1;

  if (!dladdr1 ((void *) call, &info, (void **) &map, RTLD_DL_LINKMAP))
    return &gomp_virtual_plain;
  if (map->l_name[0] != '\0')
    {
      if (realpath (map->l_name, path) == NULL)
	return &gomp_virtual_plain;
    }
  else
    {
      length = readlink ("/proc/self/exe", path, sizeof path - 1);
      path[length > 0 ? length : 0] = '\0';
    }
  function = (uintptr_t) _Unwind_FindEnclosingFunction ((void *) call)
	     - map->l_addr;
  call -= map->l_addr;
  for (struct line *line = lines; line != NULL; line = line->next)
    if (((line->start <= call && call < line->end)
	 || (line->start <= function && function < line->end))
	&& strcmp (line->module, path) == 0)
      {
	__atomic_store_n (&line->used, true, MEMMODEL_RELAXED);
	return &line->factors;
      }
  return &gomp_virtual_plain;
}

/* The same, remembered with the site once it was found.  Not under a lock:
   dladdr waits for a thread that is in dlopen, which may be waiting for the
   lock in a loop of a constructor.  Threads that search together find the
   same.  */

static const struct gomp_virtual_factors *
look_up (uintptr_t address)
{
  struct gomp_amp_site *site = gomp_amp_site ((const void *) address);
  const struct gomp_virtual_factors *factors;

  if (site == NULL)
    return find_line (address);
  factors = gomp_amp_site_record (site, GOMP_AMP_SITE_VIRTUAL);
  if (factors == NULL)
    factors = gomp_amp_publish_record (site, GOMP_AMP_SITE_VIRTUAL,
				       (void *) find_line (address));
  return factors;
}

/* The factors of the loop that the calling thread has asked the runtime
   about.  */

static const struct gomp_virtual_factors *
find_caller (void)
{
  enum { DEPTH = 16 };
  void *frames[DEPTH];
  Dl_info ours, info;
  int n = backtrace (frames, DEPTH);

  if (dladdr (&lines, &ours))
    for (int i = 0; i < n; i++)
      if (dladdr (frames[i], &info) && info.dli_fbase != ours.dli_fbase)
	return look_up ((uintptr_t) frames[i]);
  return &gomp_virtual_plain;
}

unsigned
gomp_virtual_count_lines (unsigned *used)
{
  unsigned count = 0;

  *used = 0;
  for (const struct line *line = lines; line != NULL; line = line->next)
    {
      count++;
      *used += __atomic_load_n (&line->used, MEMMODEL_RELAXED);
    }
  return count;
}

void
gomp_virtual_loop_begin (void)
{
  const struct gomp_virtual_factors *factors;
  struct gomp_virtual_thread *me;

  if (lines == NULL || (me = gomp_virtual_self ()) == NULL || me->in_loop)
    return;
  /* What the thread ran so far was not the loop.  */
  (void) gomp_virtual_now ();
  me->in_loop = true;
  factors = find_caller ();
  /* The search is the lab's, and takes longer than many a loop.  */
  gomp_virtual_resume (me);
  gomp_virtual_use (factors);
}

void
gomp_virtual_loop_end (void)
{
  struct gomp_virtual_thread *me;

  if (lines == NULL || (me = gomp_virtual_self ()) == NULL || !me->in_loop)
    return;
  gomp_virtual_use (&gomp_virtual_plain);
  me->in_loop = false;
}
