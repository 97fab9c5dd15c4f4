/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The table of sites: adds sites and forgets those of unloaded modules.  */

#define _GNU_SOURCE 1
#include "sites/sites.h"
#include "base/fork-lock.h"
#include "base/message.h"
#include "base/objects.h"
#include <stdlib.h>
#include <string.h>

/* A site is complete before it is stored here.  Like all variables below, this
   is written under GOMP_AMP_LOCK_SITES.  */
struct gomp_amp_site *gomp_amp_site_buckets[GOMP_AMP_SITE_BUCKETS];

/* The number of sites that were made.  Also read without the lock.  */
static unsigned sites;

/* Sites that left the table.  */
static struct gomp_amp_site *gone;

/* The number of modules that had been unloaded when their sites were last
   removed from the table.  Also read without the lock.  A long, since some
   targets have no atomic access to 64 bits without libatomic; the number is
   only compared.  */
static unsigned long known_unloads;

/* Put SITE at the head of the list *HEAD.  Readers may be using both at the
   same time.  */

static void
push_site (struct gomp_amp_site **head, struct gomp_amp_site *site)
{
  GOMP_AMP_ASSERT (gomp_amp_holds_lock (GOMP_AMP_LOCK_SITES));
  __atomic_store_n (&site->next, *head, __ATOMIC_RELEASE);
  __atomic_store_n (head, site, __ATOMIC_RELEASE);
}

/* Remove the site *LINK from its list and return it.  */

static struct gomp_amp_site *
pop_site (struct gomp_amp_site **link)
{
  struct gomp_amp_site *site = *link;

  GOMP_AMP_ASSERT (gomp_amp_holds_lock (GOMP_AMP_LOCK_SITES));
  __atomic_store_n (link, site->next, __ATOMIC_RELEASE);
  return site;
}

/* Whether SITE's module is still where it was.  A site without a name, such as
   that of generated code, counts as unchanged.  */

static bool
still_loaded (const struct gomp_amp_site *site)
{
  char *name;
  bool same;

  if (site->name == NULL)
    return true;
  name = gomp_amp_site_name (site->address);
  same = name != NULL && strcmp (name, site->name) == 0;
  free (name);
  return same;
}

/* If modules were unloaded since the last call, move their sites to GONE.
   Otherwise a site of a module that is loaded at the same address would be
   mistaken for one of theirs.  */

static void
forget_unloaded (void)
{
  unsigned long unloads = gomp_amp_count_unloads ();

  GOMP_AMP_ASSERT (gomp_amp_holds_lock (GOMP_AMP_LOCK_SITES));
  if (unloads == known_unloads)
    return;
  for (size_t i = 0; i < GOMP_AMP_SITE_BUCKETS; i++)
    for (struct gomp_amp_site **link = &gomp_amp_site_buckets[i];
	 *link != NULL;)
      if (still_loaded (*link))
	link = &(*link)->next;
      else
	{
	  struct gomp_amp_site *site = pop_site (link);

	  __atomic_store_n (&site->address, NULL, __ATOMIC_RELAXED);
	  push_site (&gone, site);
	}
  /* Release: makes the addresses visible.  */
  __atomic_store_n (&known_unloads, unloads, __ATOMIC_RELEASE);
}

/* Take the site NAME from GONE; NULL if it is not there.  */

static struct gomp_amp_site *
take_gone (const char *name)
{
  if (name == NULL)
    return NULL;
  for (struct gomp_amp_site **link = &gone; *link != NULL;
       link = &(*link)->next)
    if (strcmp ((*link)->name, name) == 0)
      return pop_site (link);
  return NULL;
}

bool gomp_amp_sites_matter;

/* A new site with this NAME, in no list.  NULL if memory is short or there are
   too many sites.  */

static struct gomp_amp_site *
new_site (const char *name)
{
  struct gomp_amp_site *site;

  GOMP_AMP_ASSERT (gomp_amp_holds_lock (GOMP_AMP_LOCK_SITES));
  if (sites == GOMP_AMP_MAX_SITES)
    return NULL;
  site = calloc (1, sizeof *site);
  if (site == NULL)
    return NULL;
  site->name = name;
  __atomic_store_n (&sites, sites + 1, __ATOMIC_RELAXED);
  if (sites == GOMP_AMP_MAX_SITES && gomp_amp_sites_matter)
    gomp_error ("There are more than %d loops: for further ones nothing is"
		" read from files, remembered or saved", GOMP_AMP_MAX_SITES);
  return site;
}

/* Add the site at ADDRESS, under the lock.  */

static struct gomp_amp_site *
add_site (const void *address)
{
  struct gomp_amp_site *site;
  char *name;

  forget_unloaded ();
  /* Another thread may have added it before we had the lock.  */
  site = gomp_amp_find_site (address);
  if (site != NULL)
    return site;
  name = gomp_amp_site_name (address);
  site = take_gone (name);
  if (site == NULL)
    site = new_site (name);
  if (site == NULL || site->name != name)
    free (name);
  if (site == NULL)
    return NULL;
  /* Relaxed: SITE is in no list, but a reader may still be using it.  */
  __atomic_store_n (&site->address, address, __ATOMIC_RELAXED);
  push_site (gomp_amp_site_bucket (address), site);
  return site;
}

struct gomp_amp_site *
gomp_amp_add_site (const void *address)
{
  struct gomp_amp_site *site;

  /* A full table costs no lock.  Relaxed: an estimate is enough.  */
  if (__atomic_load_n (&sites, __ATOMIC_RELAXED) >= GOMP_AMP_MAX_SITES)
    return gomp_amp_find_site (address);
  gomp_amp_acquire (GOMP_AMP_LOCK_SITES);
  site = add_site (address);
  gomp_amp_release (GOMP_AMP_LOCK_SITES);
  return site;
}

unsigned long
gomp_amp_known_unloads (void)
{
  return __atomic_load_n (&known_unloads, __ATOMIC_RELAXED);
}

struct gomp_amp_site *
gomp_amp_check_site (struct gomp_amp_site *site, const void *address)
{
  /* If the table is up to date with the last unloading of a module, SITE still
     has its address, unless it left the table.  Acquire: makes that address
     visible.  */
  if (site != NULL
      && (__atomic_load_n (&known_unloads, __ATOMIC_ACQUIRE)
	  == gomp_amp_count_unloads ())
      && __atomic_load_n (&site->address, __ATOMIC_RELAXED) == address)
    return site;
  return gomp_amp_add_site (address);
}
