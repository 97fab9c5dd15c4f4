/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The report's records of regions and loops.  */

#define _GNU_SOURCE 1
#include "libgomp.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/fork-lock.h"
#include "base/objects.h"
#include "report/report-data.h"
#include "sites/sites.h"

/* An address, and once it is found its module's file and its address there.  */
struct place
{
  ElfW(Addr) address;
  const char *module;
  unsigned long in_module;
};

static int
look_in_module (struct dl_phdr_info *info,
		size_t size __attribute__ ((unused)), void *data)
{
  struct place *place = data;

  if (!gomp_amp_in_object (info, place->address))
    return 0;
  place->module = info->dlpi_name;
  place->in_module = place->address - info->dlpi_addr;
  return 1;
}

/* A record of SITE, the NUMBERth one.  NULL if memory is short.  */

static struct gomp_report_site *
make_site (const struct gomp_amp_site *site, const void *address,
	   unsigned number, bool region)
{
  struct gomp_report_site *made = calloc (1, sizeof *made);
  struct place place = { .address = (ElfW(Addr)) address };

  if (made == NULL)
    return NULL;
  dl_iterate_phdr (look_in_module, &place);
  made->number = number;
  made->name = site->name;
  made->site = site;
  made->address = place.in_module;
  /* The program itself has no name there.  */
  if (place.module != NULL)
    made->module = (*place.module != '\0' ? realpath (place.module, NULL)
		    : realpath ("/proc/self/exe", NULL));
  if (region)
    made->region = calloc (1, sizeof *made->region);
  if (!region || made->region != NULL)
    return made;
  free (made->module);
  free (made);
  return NULL;
}

/* Make the record of SITE, which OWNER has none of yet.  LIST has *COUNT.  */

static struct gomp_report_site * __attribute__ ((noinline))
add_site (struct gomp_amp_site *site, const void *address,
	  enum gomp_amp_site_owner owner, struct gomp_report_site **list,
	  unsigned *count)
{
  struct gomp_report_site *made;

  gomp_amp_acquire (GOMP_AMP_LOCK_REPORT);
  made = gomp_amp_site_record (site, owner);
  if (made == NULL && *count < GOMP_REPORT_SITES)
    {
      made = make_site (site, address, *count,
			gomp_report_on && owner == GOMP_AMP_SITE_REPORT_REGION);
      if (made != NULL)
	{
	  list[*count] = made;
	  ++*count;
	  gomp_amp_publish_record (site, owner, made);
	}
    }
  gomp_amp_release (GOMP_AMP_LOCK_REPORT);
  return made;
}

struct gomp_report_site *
gomp_report_region_site (void (*fn) (void *))
{
  /* Another module may have been loaded at this address since the last run.
     Loops in the region find then what this has put into the table.  */
  struct gomp_amp_site *site
    = gomp_amp_check_site (gomp_amp_find_site ((const void *) fn),
			   (const void *) fn);
  struct gomp_report_site *known;

  if (site == NULL)
    return NULL;
  known = gomp_amp_site_record (site, GOMP_AMP_SITE_REPORT_REGION);
  return (known != NULL ? known
	  : add_site (site, (const void *) fn, GOMP_AMP_SITE_REPORT_REGION,
		      gomp_report.region, &gomp_report.regions));
}

struct gomp_report_site *
gomp_report_loop_site (const void *address)
{
  struct gomp_amp_site *site = gomp_amp_site (address);
  struct gomp_report_site *known;

  if (site == NULL)
    return NULL;
  known = gomp_amp_site_record (site, GOMP_AMP_SITE_REPORT_LOOP);
  return (known != NULL ? known
	  : add_site (site, address, GOMP_AMP_SITE_REPORT_LOOP,
		      gomp_report.loop, &gomp_report.loops));
}

struct gomp_report_site *
gomp_report_task_site (void (*fn) (void *))
{
  struct gomp_amp_site *site = gomp_amp_site ((const void *) fn);
  struct gomp_report_site *known;

  if (site == NULL)
    return NULL;
  known = gomp_amp_site_record (site, GOMP_AMP_SITE_TRACE_TASK);
  return (known != NULL ? known
	  : add_site (site, (const void *) fn, GOMP_AMP_SITE_TRACE_TASK,
		      gomp_report.task, &gomp_report.tasks));
}
