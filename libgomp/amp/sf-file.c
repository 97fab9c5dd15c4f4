/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Offline speedup factors: looks them up per loop, and collects sampled ones
   to be saved.  */

#define _GNU_SOURCE 1
#include "sf-file.h"
#include "classes.h"
#include "message.h"
#include "sf-lines.h"
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A loop, known by its return address.  Never freed: a program has few.  */
struct site
{
  const void *address;
  struct site *next;		/* In its bucket.  */
  bool given;			/* sf holds its offline factors.  */
  unsigned long samples;	/* How often it was recorded.  */
  double *sum;			/* By class, of its recorded factors.  */
  unsigned long *count;		/* By class, how many those are.  */
  double sf[];			/* By class.  */
};

#define BUCKETS 1024

/* Read without a lock: a site is complete before it is stored here.  Written,
   as is all that follows, under LOCK.  */
static struct site *bucket[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* What GOMP_AID_SF_FILE holds; read when the first loop asks.  */
static gomp_amp_sf_lines lines;
static bool lines_read;

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

  while (site != NULL && site->address != address)
    site = site->next;
  return site;
}

/* If SF, which knows COUNT classes, has a factor for each of CLASSES classes
   copy them to SITE and return true.  Otherwise say so once, WHO being their
   origin, and return false.  */

static bool
use_factors (struct site *site, const double *sf, unsigned count,
	     unsigned classes, const char *who)
{
  static bool told;

  for (unsigned class = 0; class < classes; class++)
    if (class >= count || !(sf[class] > 0))
      {
	if (!told)
	  gomp_error ("%s gives no speedup factor for core class %u of 0..%u;"
		      " sampling instead", who, class, classes - 1);
	told = true;
	return false;
      }
  memcpy (site->sf, sf, classes * sizeof *sf);
  return true;
}

/* Find out what is given offline for SITE.  */

static void
resolve_site (struct site *site, unsigned classes)
{
  const struct gomp_amp_sf_list *common = &gomp_amp_options.sf;
  struct gomp_amp_sf_line *line = NULL;

  if (!lines_read && gomp_amp_options.sf_file != NULL)
    gomp_amp_read_sf_lines (&lines, gomp_amp_options.sf_file,
			    gomp_amp_options.sf_max);
  lines_read = true;
  if (lines != NULL)
    {
      char *name = gomp_amp_sf_site_name (site->address);

      if (name != NULL)
	line = gomp_amp_find_sf_line (&lines, name);
      free (name);
    }
  if (line != NULL)
    site->given = use_factors (site, line->sf, line->count, classes,
			       line->site);
  if (!site->given && common->count != 0)
    site->given = use_factors (site, common->sf, common->count, classes,
			       "GOMP_AID_SF");
}

/* Add the loop at ADDRESS, which was not found; LOCK is held.  NULL if memory
   is short.  */

static struct site *
add_site (const void *address)
{
  unsigned classes = gomp_amp_class_count ();
  struct site **head = bucket_of (address);
  struct site *site = find_site (address);

  /* Another thread may have added it while we waited for the lock.  */
  if (site != NULL)
    return site;
  site = calloc (1, sizeof *site
		    + classes * (2 * sizeof (double) + sizeof (unsigned long)));
  if (site == NULL)
    return NULL;
  site->sum = site->sf + classes;
  site->count = (unsigned long *) (site->sum + classes);
  site->address = address;
  site->next = *head;
  resolve_site (site, classes);
  __atomic_store_n (head, site, __ATOMIC_RELEASE);
  return site;
}

bool
gomp_amp_offline_sf (const void *address, double *sf)
{
  struct site *site = find_site (address);

  if (__builtin_expect (site == NULL, 0))
    {
      pthread_mutex_lock (&lock);
      site = add_site (address);
      pthread_mutex_unlock (&lock);
    }
  if (site == NULL || !site->given)
    return false;
  memcpy (sf, site->sf, gomp_amp_class_count () * sizeof *sf);
  return true;
}

void
gomp_amp_record_sf (const void *address, const double *sf)
{
  unsigned classes = gomp_amp_class_count ();
  double max = gomp_amp_options.sf_max;
  struct site *site;

  if (gomp_amp_options.sf_save == NULL)
    return;
  pthread_mutex_lock (&lock);
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
      recorder = getpid ();
    }
  pthread_mutex_unlock (&lock);
}

/* Put the means of what was recorded for SITE into LINES, in place of what a
   file said of it.  */

static void
save_site (const struct site *site, unsigned classes)
{
  double mean[GOMP_AMP_MAX_CLASSES];
  struct gomp_amp_sf_line *line;
  char *name = gomp_amp_sf_site_name (site->address);

  if (name == NULL)
    return;
  for (unsigned class = 0; class < classes; class++)
    mean[class] = site->count[class] != 0
		  ? site->sum[class] / site->count[class] : 0;
  gomp_amp_remove_sf_line (&lines, name);
  line = gomp_amp_new_sf_line (name, site->samples, classes, mean);
  if (line != NULL)
    gomp_amp_add_sf_line (&lines, line);
}

static void __attribute__ ((destructor))
save_factors (void)
{
  if (gomp_amp_options.sf_save == NULL || recorder != getpid ())
    return;
  pthread_mutex_lock (&lock);
  for (size_t i = 0; i < BUCKETS; i++)
    for (struct site *site = bucket[i]; site != NULL; site = site->next)
      if (site->samples != 0)
	save_site (site, gomp_amp_class_count ());
  gomp_amp_write_sf_lines (&lines, gomp_amp_options.sf_save);
  pthread_mutex_unlock (&lock);
}
