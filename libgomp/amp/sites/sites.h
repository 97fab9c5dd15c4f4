/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The table of sites.  A site is a loop, a region or a task construct of the
   program, known by an address in its code.

   What is known about a site is a set of records.  Each record has an owner,
   which is another file.  The table does not look into records.

   A site is never freed, so that a thread may keep and use a pointer to it
   without a lock.  A site of an unloaded module leaves the table, but keeps its
   records; it comes back when a site of the same name is added.  */

#ifndef GOMP_AMP_SITES_H
#define GOMP_AMP_SITES_H 1

#include <stdbool.h>
#include <stddef.h>
#include "base/assert.h"
#include "base/hash.h"

#pragma GCC visibility push(hidden)

enum gomp_amp_site_owner
{
  /* Offline speedup factors: sf-file.c.  */
  GOMP_AMP_SITE_FACTORS,
  /* How long tasks take: task-cost.c.  */
  GOMP_AMP_SITE_TASKS,
  /* How a loop is run: loop-plan.c.  */
  GOMP_AMP_SITE_LOOP,
  /* How a region is run: fold-region.c.  */
  GOMP_AMP_SITE_REGION,
  /* Factors of a loop in virtual time: virtual/loops.c.  */
  GOMP_AMP_SITE_VIRTUAL,
  GOMP_AMP_SITE_OWNERS
};

struct gomp_amp_site
{
  /* NULL while the site is not in the table.  */
  const void *address;
  /* The site's name in files, from gomp_amp_site_name; NULL if the address is
     in no module or memory was short.  Constant.  */
  const char *name;
  /* The next site in the bucket, or among those that left the table.  */
  struct gomp_amp_site *next;
  /* By owner; NULL until the owner makes one.  */
  void *record[GOMP_AMP_SITE_OWNERS];
};

/* Eight sites a bucket if the table is full.  */
#define GOMP_AMP_SITE_BUCKETS 8192

/* This bounds the memory and the search time of a program that generates code
   at run time.  */
#define GOMP_AMP_MAX_SITES 65536

/* Whether more of them are reported: something is read for sites or saved, or
   regions are known by them.  Written while the process is set up.  */
extern bool gomp_amp_sites_matter;

/* Read without a lock.  */
extern struct gomp_amp_site *gomp_amp_site_buckets[GOMP_AMP_SITE_BUCKETS];

static inline struct gomp_amp_site **
gomp_amp_site_bucket (const void *address)
{
  return &gomp_amp_site_buckets[gomp_amp_hash_address (address) >> 19];
}

/* The site at ADDRESS; NULL if it is not in the table.

   The acquire load of the pointer to a site makes the whole site visible.  But
   a site that the search passes may meanwhile leave the table and come back in
   another bucket.  Its NEXT may then be newer than the pointer that led to it,
   so NEXT is acquired as well.  The search then ends in the other bucket and
   may miss a site; gomp_amp_add_site searches again under the lock.

   A relaxed load of the address is enough.  The address of a site changes only
   while the site is in no bucket.  As long as a thread asks for ADDRESS, the
   code there runs, so the site that is found cannot leave.  */
static inline struct gomp_amp_site *
gomp_amp_find_site (const void *address)
{
  struct gomp_amp_site *site
    = __atomic_load_n (gomp_amp_site_bucket (address), __ATOMIC_ACQUIRE);

  while (site != NULL
	 && __atomic_load_n (&site->address, __ATOMIC_RELAXED) != address)
    site = __atomic_load_n (&site->next, __ATOMIC_ACQUIRE);
  return site;
}

/* The site at ADDRESS, which is added if it is not in the table.  NULL if
   memory is short or there are GOMP_AMP_MAX_SITES already, which is reported
   once if it matters.  Before the search, the sites of unloaded modules leave
   the table.  */
extern struct gomp_amp_site *gomp_amp_add_site (const void *address);

/* How many modules had been unloaded when the table was brought up to date
   last.  */
extern unsigned long gomp_amp_known_unloads (void);

/* The site at ADDRESS.  SITE, which may be NULL, is the one that the calling
   thread found there before.  Unlike a search in the table, this asks the
   loader whether a module was unloaded since: then it may be another site.  */
extern struct gomp_amp_site *gomp_amp_check_site (struct gomp_amp_site *site,
						  const void *address);

/* gomp_amp_add_site, but fast for a site that is in the table.  */
static inline struct gomp_amp_site *
gomp_amp_site (const void *address)
{
  struct gomp_amp_site *site = gomp_amp_find_site (address);

  return __builtin_expect (site != NULL, 1) ? site
					    : gomp_amp_add_site (address);
}

/* OWNER's record of SITE, or NULL.  Acquire: makes visible what was stored in
   the record before its publication.  */
static inline void *
gomp_amp_site_record (const struct gomp_amp_site *site,
		      enum gomp_amp_site_owner owner)
{
  GOMP_AMP_ASSERT (owner < GOMP_AMP_SITE_OWNERS);
  return __atomic_load_n (&site->record[owner], __ATOMIC_ACQUIRE);
}

/* Publish RECORD as OWNER's record of SITE, unless another thread has published
   one meanwhile.  Returns the record that SITE has now.  */
static inline void *
gomp_amp_publish_record (struct gomp_amp_site *site,
			 enum gomp_amp_site_owner owner, void *record)
{
  void *other = NULL;

  GOMP_AMP_ASSERT (owner < GOMP_AMP_SITE_OWNERS && record != NULL);
  return (__atomic_compare_exchange_n (&site->record[owner], &other, record,
				       false, __ATOMIC_RELEASE,
				       __ATOMIC_ACQUIRE)
	  ? record : other);
}

/* The name of ADDRESS in files: module+0xoffset.  The offset is relative to the
   first page of the module, so neither position-independent code nor address
   randomization changes it.  The module is the last component of its path.  In
   it, blanks, '#', '%' and non-printable characters are written as %XX.  The
   caller frees the name.  NULL if ADDRESS is in no module, or memory is
   short.  */
extern char *gomp_amp_site_name (const void *address);

#pragma GCC visibility pop

#endif /* GOMP_AMP_SITES_H */
