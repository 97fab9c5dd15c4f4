/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* How cores share the memory's bandwidth.  Pure arithmetic, also for the
   tools.

   A core's demand is the bandwidth that it would use if it were alone.  While
   the cores that run demand more than a cap allows, each of them gets the same
   part of its demand and runs slower in proportion.  Afzal, Hager and Wellein
   ("An analytic performance model for overlapping execution of memory-bound
   loop kernels on multicore CPUs", arXiv:2011.00243) measured that rule on
   three x86 chips: shares of a saturated memory are as the bandwidths that
   single threads reach, within 8 %.  */

#ifndef GOMP_VIRTUAL_BANDWIDTH_SHARE_H
#define GOMP_VIRTUAL_BANDWIDTH_SHARE_H 1

#include "options/options.h"

#pragma GCC visibility push(hidden)

/* The most GB/s of a cap and of a demand.  */
#define GOMP_VIRTUAL_MAX_BANDWIDTH 1000000.0

/* The most that all cores get together, and those of each class, in GB/s; 0 if
   there is no cap.  Classes are in the order of the machine's name, the fastest
   first.  */
struct gomp_virtual_caps
{
  double all;
  double of_class[GOMP_AMP_MAX_CLASSES];
};

/* Read TEXT, GB/s for all cores or CLASS:GB/s, joined by commas, into CAPS, for
   a machine of CLASSES classes.  In TEXT class 0 is the slowest.  Returns NULL,
   or what is wrong with TEXT.  */
extern const char *gomp_virtual_read_caps (const char *text, unsigned classes,
					   struct gomp_virtual_caps *caps);

/* DEMAND is the sum of the demands of the cores of each class that run, in
   GB/s.  Store in RATE the speed of a core of each class as a fraction of its
   speed alone, above 0 and at most 1.  */
extern void gomp_virtual_share (const struct gomp_virtual_caps *caps,
				unsigned classes, const double *demand,
				double *rate);

#pragma GCC visibility pop

#endif /* GOMP_VIRTUAL_BANDWIDTH_SHARE_H */
