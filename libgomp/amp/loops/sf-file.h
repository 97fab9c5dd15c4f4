/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Offline speedup factors (SF): GOMP_AID_SF, GOMP_AID_SF_FILE and
   GOMP_AID_SF_SAVE.  */

#ifndef GOMP_AMP_SF_FILE_H
#define GOMP_AMP_SF_FILE_H 1

#include <stdbool.h>
#include <stddef.h>
#include "options/options.h"
#include "sites/sites.h"

#pragma GCC visibility push(hidden)

/* Whether the user gave or wants any offline factors.  If not, the functions
   below have nothing to do.  */
static inline bool
gomp_amp_offline (void)
{
  return __builtin_expect (gomp_amp_options.sf.count != 0
			   || gomp_amp_options.sf_file != NULL
			   || gomp_amp_options.sf_save != NULL, 0);
}

/* The site of the loop at ADDRESS, for the functions below; NULL if loops have
   no factors of their own.  */
static inline struct gomp_amp_site *
gomp_amp_factors_site (const void *address)
{
  return (gomp_amp_options.sf_file != NULL || gomp_amp_options.sf_save != NULL
	  ? gomp_amp_site (address) : NULL);
}

/* Fill SF[0..gomp_amp_class_count () - 1] with the speedup factors given for
   the loop at SITE, or for all loops, and return true.  SITE may be NULL.
   Return false if none are given, or if one is missing for a class whose bit in
   PRESENT is set: then the loop has to be sampled.  Factors are positive; only
   their ratios matter.  Several threads may call this at once.  It is fast
   except for the first call for SITE.  */
extern bool gomp_amp_offline_sf (struct gomp_amp_site *site,
				 unsigned long long present, double *sf);

/* Remember SF[0..gomp_amp_class_count () - 1], as sampled for the loop at
   ADDRESS, for the file that GOMP_AID_SF_SAVE names.  The file gets the mean
   over all calls.  SITE is the site of the loop when it started.  A factor of 0
   means that no thread was of that class.  Does nothing if the variable is
   unset.  */
extern void gomp_amp_record_sf (struct gomp_amp_site *site,
				const void *address, const double *sf);

/* The process ends: write what it recorded to the file that GOMP_AID_SF_SAVE
   names.  */
extern void gomp_amp_save_factors (void);

#pragma GCC visibility pop

#endif /* GOMP_AMP_SF_FILE_H */
