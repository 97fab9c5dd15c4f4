/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Offline speedup factors: looks them up per loop, and collects sampled ones
   to be saved.  */

#define _GNU_SOURCE 1
#include "sf-file.h"
#include "allotment.h"
#include "fork-lock.h"
#include "message.h"
#include "sf-lines.h"
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A loop, known by its return address.  Never freed, as readers take no lock,
   but used again by a loop of the same name.  */
struct site
{
  const void *address;
  char *name;			/* In files; NULL if it can have none.  */
  struct site *next;		/* In its bucket, or among those gone.  */
  bool given;			/* A file has a line of it.  */
  unsigned long samples;	/* How often it was recorded.  */
  double *sum;			/* By class, of its recorded factors.  */
  unsigned long *count;		/* By class, how many those are.  */
  double sf[];			/* By class, what that line gives; 0 = not
				   given.  */
};

#define BUCKETS 1024

/* What bounds the memory and the search of a program that makes its loops at
   run time.  */
#define MAX_SITES 65536

/* Read without a lock: a site is complete before it is stored here.  Written,
   as is all that follows, under GOMP_AMP_LOCK_FACTORS.  */
static struct site *bucket[BUCKETS];
static unsigned sites;

/* Loops of modules that were unloaded: what was recorded of them is saved
   still.  */
static struct site *gone;

/* What GOMP_AID_SF_FILE holds; read when the first loop asks.  */
static gomp_amp_sf_lines lines;

/* The process that recorded last.  A child process inherits what its parent
   recorded; unless it adds to that, saving is the parent's business.  */
static pid_t recorder;

static struct site **
bucket_of (const void *address)
{
  return &bucket[(uint32_t) ((uintptr_t) address * 2654435761u) >> 22];
}

static struct site *
find_site (const void *address)
{
  struct site *site = __atomic_load_n (bucket_of (address), __ATOMIC_ACQUIRE);

  /* A site may meanwhile move to GONE, and be used again, so that what follows
     it may be newer than what led here: acquire that too.  Whose address it has
     is all that matters of it, relaxed.  */
  while (site != NULL
	 && __atomic_load_n (&site->address, __ATOMIC_RELAXED) != address)
    site = __atomic_load_n (&site->next, __ATOMIC_ACQUIRE);
  return site;
}

/* If FROM, which knows COUNT classes, has a factor for each class that threads
   can be of now, fill SF from it and return true.  Otherwise say so once, WHO
   being their origin, and return false.  A thread may yet get to a core of a
   class that has no factor, by a change of its mask: such a class counts as the
   next slower one that has, or else as the slowest that has.  */

static bool
use_factors (double *sf, const double *from, unsigned count, const char *who)
{
  static bool told;
  unsigned classes = gomp_amp_class_count ();
  unsigned long long present = gomp_amp_present_classes ();
  double next = 0;

  for (unsigned class = 0; class < classes; class++)
    {
      bool given = class < count && from[class] > 0;

      if (given && next == 0)
	next = from[class];
      if (given || !(present >> class & 1))
	continue;
      if (!told)
	gomp_error ("%s gives no speedup factor for core class %u of 0..%u;"
		    " sampling instead", who, class, classes - 1);
      told = true;
      return false;
    }
  for (unsigned class = 0; class < classes; class++)
    {
      if (class < count && from[class] > 0)
	next = from[class];
      sf[class] = next;
    }
  return true;
}

static bool
use_common_factors (double *sf)
{
  const struct gomp_amp_sf_list *common = &gomp_amp_options.sf;

  return common->count != 0
	 && use_factors (sf, common->sf, common->count, "GOMP_AID_SF");
}

/* Note what the file gives for SITE.  */

static void
resolve_site (struct site *site)
{
  static bool lines_read;
  unsigned classes = gomp_amp_class_count ();
  struct gomp_amp_sf_line *line = NULL;

  if (!lines_read && gomp_amp_options.sf_file != NULL)
    gomp_amp_read_sf_lines (&lines, gomp_amp_options.sf_file,
			    gomp_amp_options.sf_max,
			    gomp_amp_classes_fingerprint ());
  lines_read = true;
  if (site->name != NULL)
    line = gomp_amp_find_sf_line (&lines, site->name);
  site->given = line != NULL;
  for (unsigned class = 0; site->given && class < classes; class++)
    site->sf[class] = class < line->count ? line->sf[class] : 0;
}

static int
note_unloaded (struct dl_phdr_info *info,
	       size_t size __attribute__ ((unused)), void *data)
{
  *(unsigned long long *) data = info->dlpi_subs;
  return 1;
}

/* If modules were unloaded since the last call, move their loops to GONE, so
   that loops loaded to the same addresses are not taken for them.  */

static void
forget_unloaded (void)
{
  static unsigned long long known;
  unsigned long long unloaded = known;

  dl_iterate_phdr (note_unloaded, &unloaded);
  if (unloaded == known)
    return;
  known = unloaded;
  for (size_t i = 0; i < BUCKETS; i++)
    for (struct site **at = &bucket[i]; *at != NULL;)
      {
	struct site *site = *at;
	char *name = site->name ? gomp_amp_sf_site_name (site->address) : NULL;

	if (site->name == NULL
	    || (name != NULL && strcmp (name, site->name) == 0))
	  at = &site->next;
	else
	  {
	    __atomic_store_n (at, site->next, __ATOMIC_RELEASE);
	    __atomic_store_n (&site->next, gone, __ATOMIC_RELEASE);
	    gone = site;
	  }
	free (name);
      }
}

/* The loop NAME of a module that was unloaded, taken from GONE; or NULL.  */

static struct site *
find_gone (const char *name)
{
  for (struct site **at = &gone; *at != NULL; at = &(*at)->next)
    if (name != NULL && strcmp ((*at)->name, name) == 0)
      {
	struct site *site = *at;

	__atomic_store_n (at, site->next, __ATOMIC_RELEASE);
	return site;
      }
  return NULL;
}

/* A new loop, NAME, which it takes over even if it fails.  NULL if memory is
   short or there are too many.  */

static struct site *
new_site (char *name)
{
  unsigned classes = gomp_amp_class_count ();
  struct site *site = NULL;

  if (sites < MAX_SITES)
    site = calloc (1, sizeof *site + classes * (2 * sizeof (double)
						+ sizeof (unsigned long)));
  if (site == NULL)
    {
      free (name);
      return NULL;
    }
  site->sum = site->sf + classes;
  site->count = (unsigned long *) (site->sum + classes);
  site->name = name;
  __atomic_store_n (&sites, sites + 1, __ATOMIC_RELAXED);
  if (sites == MAX_SITES)
    gomp_error ("There are more than %d loops: the speedup factors of further"
		" ones are neither read from a file nor saved", MAX_SITES);
  return site;
}

/* Add the loop at ADDRESS, which was not found; the lock is held.  NULL if
   memory is short or there are too many.  */

static struct site *
add_site (const void *address)
{
  struct site **head = bucket_of (address);
  struct site *site;
  char *name;

  forget_unloaded ();
  /* Another thread may have added it while we waited for the lock.  */
  site = find_site (address);
  if (site != NULL)
    return site;
  name = gomp_amp_sf_site_name (address);
  site = find_gone (name);
  if (site != NULL)
    free (name);
  else
    {
      site = new_site (name);
      if (site == NULL)
	return NULL;
      resolve_site (site);
    }
  __atomic_store_n (&site->address, address, __ATOMIC_RELAXED);
  __atomic_store_n (&site->next, *head, __ATOMIC_RELEASE);
  __atomic_store_n (head, site, __ATOMIC_RELEASE);
  return site;
}

bool
gomp_amp_offline_sf (const void *address, double *sf)
{
  struct site *site;

  if (gomp_amp_options.sf_file == NULL && gomp_amp_options.sf_save == NULL)
    return use_common_factors (sf);
  site = find_site (address);
  if (__builtin_expect (site == NULL, 0)
      && __atomic_load_n (&sites, __ATOMIC_RELAXED) < MAX_SITES)
    {
      gomp_amp_acquire (GOMP_AMP_LOCK_FACTORS);
      site = add_site (address);
      gomp_amp_release (GOMP_AMP_LOCK_FACTORS);
    }
  if (site != NULL && site->given)
    {
      /* Relaxed: the characters are older than the site.  NULL at exit.  */
      const char *name = __atomic_load_n (&site->name, __ATOMIC_RELAXED);

      if (use_factors (sf, site->sf, gomp_amp_class_count (),
		       name != NULL ? name : "GOMP_AID_SF_FILE"))
	return true;
    }
  return use_common_factors (sf);
}

void
gomp_amp_record_sf (const void *address, const double *sf)
{
  unsigned classes = gomp_amp_class_count ();
  double max = gomp_amp_options.sf_max;
  struct site *site;

  if (gomp_amp_options.sf_save == NULL)
    return;
  gomp_amp_acquire (GOMP_AMP_LOCK_FACTORS);
  site = add_site (address);
  if (site != NULL)
    {
      for (unsigned class = 0; class < classes; class++)
	if (sf[class] > 0)
	  {
	    /* What could not be read back would be of no use.  */
	    site->sum[class] += sf[class] > max       ? max
				: sf[class] < 1 / max ? 1 / max
						      : sf[class];
	    site->count[class]++;
	  }
      site->samples++;
      __atomic_store_n (&recorder, getpid (), __ATOMIC_RELAXED);
    }
  gomp_amp_release (GOMP_AMP_LOCK_FACTORS);
}

/* Put the means of what was recorded for the loops of LIST into LINES, in place
   of what a file said of them.  */

static void
save_sites (struct site *list)
{
  unsigned classes = gomp_amp_class_count ();

  for (struct site *site = list; site != NULL; site = site->next)
    {
      double mean[GOMP_AMP_MAX_CLASSES];
      struct gomp_amp_sf_line *line;

      if (site->samples == 0 || site->name == NULL)
	continue;
      for (unsigned class = 0; class < classes; class++)
	mean[class] = site->count[class] != 0
		      ? site->sum[class] / site->count[class] : 0;
      gomp_amp_remove_sf_line (&lines, site->name);
      line = gomp_amp_new_sf_line (site->name, site->samples, classes, mean);
      __atomic_store_n (&site->name, NULL, __ATOMIC_RELAXED);
      if (line != NULL)
	gomp_amp_add_sf_line (&lines, line);
    }
}

void
gomp_amp_save_factors (void)
{
  /* Relaxed: what it guards is read with the lock, which a child that was made
     by other means than fork might find held.  */
  if (gomp_amp_options.sf_save == NULL
      || __atomic_load_n (&recorder, __ATOMIC_RELAXED) != getpid ())
    return;
  gomp_amp_acquire (GOMP_AMP_LOCK_FACTORS);
  for (size_t i = 0; i < BUCKETS; i++)
    save_sites (bucket[i]);
  save_sites (gone);
  gomp_amp_write_sf_lines (&lines, gomp_amp_options.sf_save,
			   gomp_amp_classes_fingerprint ());
  gomp_amp_release (GOMP_AMP_LOCK_FACTORS);
}
