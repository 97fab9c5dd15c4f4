/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Loops with speedup factors and demands for bandwidth of their own: which loop
   a thread is in, its factors in the file GOMP_AMP_VIRTUAL_SF, and its demand
   in the file GOMP_AMP_VIRTUAL_DEMAND.  sf-lines.h has the format of both; a
   demand stands in the place of the factor of class 0.  */

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
#include "bandwidth-share.h"
#include "clocks.h"
#include "loops/sf-lines.h"
#include "sites/sites.h"
#include "virtual.h"

struct line
{
  struct line *next;
  char *module;			/* The path.  */
  /* The addresses of the loop, relative to the module's load address.  */
  uintptr_t start, end;
  bool used;
  /* The factors, or only their demand.  */
  bool only_demand;
  struct gomp_virtual_factors factors;
};

static struct line *lines;

/* A demand below this, in GB/s, is none: the format has no factor of 0.  */
#define LEAST_DEMAND 0.001

/* Decode each %XX in NAME, in place.  */

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

/* Store the loop that SITE names in LINE.  SITE is path+0xstart-0xend or
   path+0xoffset, the address of a function or the return address of a call.
   Returns false if SITE is neither.  */

static bool
parse_site (struct line *line, const char *site)
{
  const char *plus = strrchr (site, '+');
  unsigned long start, end;
  char after;

  if (plus == NULL || plus == site)
    return false;
  if (sscanf (plus, "+0x%lx-0x%lx%c", &start, &end, &after) == 2)
    ;
  else if (sscanf (plus, "+0x%lx%c", &start, &after) == 1)
    end = start-- + 1;
  else
    return false;
  line->start = start;
  line->end = end;
  line->module = strndup (site, plus - site);
  if (line->module == NULL)
    return false;
  unescape (line->module);
  return true;
}

static void
add_line (struct line *line, struct gomp_amp_sf_line *from)
{
  line->next = lines;
  lines = line;
  gomp_amp_free_sf_line (from);
}

/* Make FACTORS of SF, which has COUNT factors, that of the slowest class
   first.  Also with these, the real CPU time is the time on the fastest
   class.  */

static void
use_factors (struct gomp_virtual_factors *factors, const double *sf,
	     unsigned count)
{
  unsigned classes = gomp_virtual_machine.classes;
  double of_class[GOMP_AMP_MAX_CLASSES];
  double fastest = 0;

  for (unsigned i = 0; i < classes; i++)
    {
      of_class[i] = i < count && sf[i] != 0 ? sf[i] : 1;
      if (of_class[i] > fastest)
	fastest = of_class[i];
    }
  for (unsigned i = 0; i < classes; i++)
    factors->slowness[classes - 1 - i] = fastest / of_class[i];
  gomp_virtual_sum_capacity (factors);
}

/* Take over FROM, a line of the file of factors.  Returns NULL, or what is
   wrong with it.  */

static const char *
use_line (struct gomp_amp_sf_line *from, void *data __attribute__ ((unused)))
{
  struct line *line;

  if (from->count > gomp_virtual_machine.classes)
    return "the virtual machine has not so many classes";
  /* All code that has no line of its own.  */
  if (strcmp (from->site, "program") == 0)
    {
      use_factors (&gomp_virtual_plain, from->sf, from->count);
      gomp_amp_free_sf_line (from);
      return NULL;
    }
  line = gomp_malloc_cleared (sizeof *line);
  if (!parse_site (line, from->site))
    {
      free (line);
      return "expected program, path+0xoffset or path+0xstart-0xend";
    }
  use_factors (&line->factors, from->sf, from->count);
  line->factors.demand = gomp_virtual_plain.demand;
  add_line (line, from);
  return NULL;
}

/* The same for a line of the file of demands.  */

static const char *
use_demand (struct gomp_amp_sf_line *from,
	    void *data __attribute__ ((unused)))
{
  struct line *line = gomp_malloc_cleared (sizeof *line);

  if (from->count != 1 || !parse_site (line, from->site))
    {
      free (line);
      return "expected path+0xoffset or path+0xstart-0xend, and 0:demand";
    }
  line->only_demand = true;
  line->factors = gomp_virtual_plain;
  line->factors.demand = from->sf[0] < LEAST_DEMAND ? 0 : from->sf[0];
  add_line (line, from);
  return NULL;
}

void
gomp_virtual_init_loops (void)
{
  enum { MAX_FACTOR = 1000 };
  void *nothing;

  gomp_virtual_plain.demand = gomp_amp_options.virtual_demand_mbs / 1e3;
  /* The factors are for the virtual machine, even if the file names another
     machine.  */
  if (gomp_amp_options.virtual_sf != NULL)
    gomp_amp_read_sf_file (gomp_amp_options.virtual_sf, MAX_FACTOR,
			   GOMP_AMP_SF_ANY_MACHINE, use_line, NULL);
  if (gomp_amp_options.virtual_demand != NULL)
    gomp_amp_read_sf_file (gomp_amp_options.virtual_demand,
			   GOMP_VIRTUAL_MAX_BANDWIDTH, GOMP_AMP_SF_ANY_MACHINE,
			   use_demand, NULL);
  if (lines == NULL)
    return;
  /* The first call of backtrace loads the unwinder.  */
  backtrace (&nothing, 1);
}

bool
gomp_virtual_demanding (void)
{
  for (const struct line *line = lines; line != NULL; line = line->next)
    if (line->factors.demand > 0)
      return true;
  return gomp_virtual_plain.demand > 0;
}

/* The factors of a loop, which has the lines FACTORS and DEMAND; either may be
   NULL.  */

static const struct gomp_virtual_factors *
join_lines (struct line *factors, struct line *demand)
{
  struct gomp_virtual_factors *joined;

  if (factors != NULL)
    __atomic_store_n (&factors->used, true, MEMMODEL_RELAXED);
  if (demand != NULL)
    __atomic_store_n (&demand->used, true, MEMMODEL_RELAXED);
  if (factors == NULL)
    return demand != NULL ? &demand->factors : &gomp_virtual_plain;
  if (demand == NULL)
    return &factors->factors;
  joined = gomp_malloc (sizeof *joined);
  *joined = factors->factors;
  joined->demand = demand->factors.demand;
  return joined;
}

/* The factors of the loop whose call of the runtime returns to ADDRESS.  */

static const struct gomp_virtual_factors *
find_line (uintptr_t address)
{
  struct link_map *map;
  Dl_info info;
  char path[4096];
  ssize_t length;
  uintptr_t function, call = address - 1;
  struct line *factors = NULL, *demand = NULL;

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
	     - (uintptr_t) info.dli_fbase;
  call -= (uintptr_t) info.dli_fbase;
  for (struct line *line = lines; line != NULL; line = line->next)
    if (((line->start <= call && call < line->end)
	 || (line->start <= function && function < line->end))
	&& strcmp (line->module, path) == 0)
      {
	struct line **which = line->only_demand ? &demand : &factors;

	if (*which == NULL)
	  *which = line;
      }
  return join_lines (factors, demand);
}

/* The same, but a result is kept with the site.  No lock is held: dladdr waits
   for a thread that is in dlopen, and that thread may be in a loop of a
   constructor, waiting for the lock.  Threads that search at the same time find
   the same factors.  */

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

/* The factors of the loop from which the calling thread called the runtime.  */

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
  /* What the thread has run up to here was not the loop.  */
  (void) gomp_virtual_now ();
  me->in_loop = true;
  factors = find_caller ();
  /* The search does not count: it is the lab's, and it takes longer than many
     loops.  */
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
