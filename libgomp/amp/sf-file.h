/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Offline speedup factors: GOMP_AID_SF, GOMP_AID_SF_FILE and
   GOMP_AID_SF_SAVE.  */

#ifndef GOMP_AMP_SF_FILE_H
#define GOMP_AMP_SF_FILE_H 1

#include <stdbool.h>
#include <stddef.h>
#include "options.h"

#pragma GCC visibility push(hidden)

/* Whether the two functions below have anything to do.  */
static inline bool
gomp_amp_offline (void)
{
  return __builtin_expect (gomp_amp_options.sf.count != 0
			   || gomp_amp_options.sf_file != NULL
			   || gomp_amp_options.sf_save != NULL, 0);
}

/* Fill SF[0..gomp_amp_class_count () - 1] with the speedup factors given for
   the loop at SITE (its return address, or any address that is its own) and
   return true; false if none are given, or not for every class: the loop has
   to be sampled.  Factors are positive; only their ratios mean anything.  May
   be called by several threads at once; quick but for the first sight of
   SITE.  */
extern bool gomp_amp_offline_sf (const void *site, double *sf);

/* Remember SF[0..gomp_amp_class_count () - 1], as sampled for the loop at
   SITE, for the file that GOMP_AID_SF_SAVE names; a mean over all calls is
   saved.  A factor of 0 says that no thread was of that class.  Does nothing
   if the variable is unset.  */
extern void gomp_amp_record_sf (const void *site, const double *sf);

/* The process ends: write what this process has recorded to the file that
   GOMP_AID_SF_SAVE names.  */
extern void gomp_amp_save_factors (void);

#pragma GCC visibility pop

#endif /* GOMP_AMP_SF_FILE_H */
