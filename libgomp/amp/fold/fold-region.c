/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Remembers and reports which regions are called.  */

#include "fold/fold-region.h"
#include "base/message.h"
#include "base/objects.h"
#include "options/options.h"
#include "sites/site-function.h"
#include "sites/sites.h"
#include <stdint.h>
#include <stdlib.h>

/* All regions, the last one first.  */
static const struct gomp_fold_region *all;

/* An address, and whether the object that it is in has thread-local
   variables.  */
struct place
{
  ElfW(Addr) address;
  bool has_tls;
};

static int
look_in_object (struct dl_phdr_info *info,
		size_t size __attribute__ ((unused)), void *data)
{
  struct place *place = data;

  if (!gomp_amp_in_object (info, place->address))
    return 0;
  for (unsigned i = 0; i < info->dlpi_phnum; i++)
    place->has_tls |= (info->dlpi_phdr[i].p_type == PT_TLS
		       && info->dlpi_phdr[i].p_memsz != 0);
  return 1;
}

/* Whether the module of FN has thread-local variables.  Not so for code that is
   in no module, which is generated.  */

static bool
has_tls (gomp_fold_region_fn fn)
{
  struct place place = { .address = (ElfW(Addr)) fn };

  dl_iterate_phdr (look_in_object, &place);
  return place.has_tls;
}

struct gomp_fold_region *
gomp_fold_find_region (gomp_fold_region_fn fn)
{
  struct gomp_amp_site *site
    = gomp_amp_check_site (gomp_amp_find_site ((const void *) fn),
			   (const void *) fn);
  struct gomp_fold_region *region, *other;

  if (site == NULL)
    return NULL;
  region = gomp_amp_site_record (site, GOMP_AMP_SITE_REGION);
  if (region != NULL)
    {
      /* A module of the same name was unloaded: this one may differ.  */
      if (gomp_amp_options.fold_calls == GOMP_AMP_CALLS_AUTO && has_tls (fn))
	gomp_fold_note_turns (region, GOMP_FOLD_HAS_TLS);
      return region;
    }
  region = calloc (1, sizeof *region);
  if (region == NULL)
    return NULL;
  region->site = site;
  if (gomp_amp_options.fold_calls == GOMP_AMP_CALLS_AUTO && has_tls (fn))
    region->why = GOMP_FOLD_HAS_TLS;
  other = gomp_amp_publish_record (site, GOMP_AMP_SITE_REGION, region);
  if (other != region)
    {
      free (region);
      return other;
    }
  /* Release: gomp_fold_report_regions reads the record.  */
  region->next = __atomic_load_n (&all, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n (&all, &region->next, region, true,
				       __ATOMIC_RELEASE, __ATOMIC_RELAXED))
    continue;
  return region;
}

void
gomp_fold_note_turns (struct gomp_fold_region *region, enum gomp_fold_why why)
{
  unsigned leaf = GOMP_FOLD_LEAF;

  __atomic_compare_exchange_n (&region->why, &leaf, why, false,
			       __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void
gomp_fold_note_rescue (struct gomp_fold_region *region, bool helped)
{
  struct gomp_fold_cases *rescues = &region->rescues;

  rescues->all++;
  rescues->helped += helped;
  if (rescues->helped >= GOMP_FOLD_MOST_LATE
      && rescues->helped * 4 >= rescues->all * 3)
    gomp_fold_note_turns (region, GOMP_FOLD_MEETS_OUTSIDE);
}

void
gomp_fold_report_regions (void)
{
  static const char *const why[] =
    {
      [GOMP_FOLD_LEAF] = "its threads do not wait for each other",
      [GOMP_FOLD_HAS_TLS] = "its module has thread-local variables",
      [GOMP_FOLD_MEETS] = "its threads wait for each other",
      [GOMP_FOLD_MEETS_OUTSIDE] = "its threads wait for each other outside of"
				  " OpenMP",
      [GOMP_FOLD_HAS_TASKS] = "it has tasks",
    };

  for (const struct gomp_fold_region *region
	 = __atomic_load_n (&all, __ATOMIC_ACQUIRE);
       region != NULL; region = region->next)
    {
      unsigned reason = __atomic_load_n (&region->why, __ATOMIC_RELAXED);
      unsigned long called = __atomic_load_n (&region->called,
					      __ATOMIC_RELAXED);
      char text[GOMP_AMP_SITE_TEXT];

      gomp_error ("region %s is %s: %s; it was called %lu time%s",
		  gomp_amp_describe_site (region->site, text),
		  reason == GOMP_FOLD_LEAF ? "called" : "run by turns",
		  why[reason], called, called == 1 ? "" : "s");
    }
}
