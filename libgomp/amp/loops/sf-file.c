/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Offline speedup factors (SF): finds those of a loop, and collects sampled
   ones to save them.  */

#define _GNU_SOURCE 1
#include "base/fork-lock.h"
#include "base/message.h"
#include "loops/sf-file.h"
#include "loops/sf-lines.h"
#include "machine/machine.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The factors of one loop, or those for all loops.  Never freed, since sites
   are not.  */
struct factors
{
  /* The loop; NULL for all loops.  */
  const struct gomp_amp_site *site;
  /* The record made before this one.  */
  struct factors *next;
  /* Bit C: the user gave a factor for class C.  Constant, as is SF.  */
  unsigned long long given;
  /* The number of sampled executions of the loop.  */
  unsigned long samples;
  /* By class, the sum of the sampled factors.  */
  double *sum;
  /* By class, the number of sampled factors.  */
  unsigned long *count;
  /* By class, the factor.  A change of its mask may take a thread to a class
     without a given factor.  Such a class has the factor of the next slower
     class with one, or else of the slowest class with one.  */
  double sf[];
};

_Static_assert (GOMP_AMP_MAX_CLASSES <= 64, "a class must have a bit in GIVEN");

/* All records of loops.  GOMP_AMP_LOCK_FACTORS guards it, all that changes in a
   record, and every variable below.  */
static struct factors *all;

/* The record of GOMP_AID_SF; NULL until it is made.  Also read without the
   lock.  */
static struct factors *common;

/* The lines of GOMP_AID_SF_FILE, which is read at the first loop.  */
static gomp_amp_sf_lines lines;

/* The process that recorded last.  A child process inherits what its parent
   recorded.  The parent saves that; the child saves only if it records
   more.  */
static pid_t recorder;

/* Set the factors of FACTORS, which has CLASSES classes, from the COUNT factors
   FROM, where 0 means not given.  */

static void
set_factors (struct factors *factors, unsigned classes, const double *from,
	     unsigned count)
{
  double next = 0;

  if (count > classes)
    count = classes;
  for (unsigned class = 0; class < count; class++)
    if (from[class] > 0)
      {
	factors->given |= 1ULL << class;
	if (next == 0)
	  next = from[class];
      }
  for (unsigned class = 0; class < classes; class++)
    {
      if (factors->given >> class & 1)
	next = from[class];
      factors->sf[class] = next;
    }
}

/* The file's line for the site NAME; NULL if it has none.  */

static const struct gomp_amp_sf_line *
find_line (const char *name)
{
  static bool lines_read;

  GOMP_AMP_ASSERT (gomp_amp_holds_lock (GOMP_AMP_LOCK_FACTORS));
  if (!lines_read && gomp_amp_options.sf_file != NULL)
    gomp_amp_read_sf_lines (&lines, gomp_amp_options.sf_file,
			    gomp_amp_options.sf_max,
			    gomp_amp_classes_fingerprint ());
  lines_read = true;
  return name != NULL ? gomp_amp_find_sf_line (&lines, name) : NULL;
}

/* Make the record of SITE; or if SITE is NULL, that of GOMP_AID_SF.  Under the
   lock.  Returns NULL if memory is short.  */

static struct factors *
make_factors (struct gomp_amp_site *site)
{
  unsigned classes = gomp_amp_class_count ();
  const struct gomp_amp_sf_line *line;
  struct factors *factors
    = calloc (1, sizeof *factors + classes * (2 * sizeof (double)
					      + sizeof (unsigned long)));

  GOMP_AMP_ASSERT (gomp_amp_holds_lock (GOMP_AMP_LOCK_FACTORS));
  if (factors == NULL)
    return NULL;
  factors->site = site;
  factors->sum = factors->sf + classes;
  factors->count = (unsigned long *) (factors->sum + classes);
  if (site == NULL)
    {
      set_factors (factors, classes, gomp_amp_options.sf.sf,
		   gomp_amp_options.sf.count);
      __atomic_store_n (&common, factors, __ATOMIC_RELEASE);
      return factors;
    }
  line = find_line (site->name);
  if (line != NULL)
    set_factors (factors, classes, line->sf, line->count);
  factors->next = all;
  all = factors;
  return gomp_amp_publish_record (site, GOMP_AMP_SITE_FACTORS, factors);
}

/* The record of SITE; or if SITE is NULL, that of GOMP_AID_SF.  NULL if it does
   not exist yet.  */

static inline struct factors *
known_factors (const struct gomp_amp_site *site)
{
  if (site == NULL)
    return __atomic_load_n (&common, __ATOMIC_ACQUIRE);
  return gomp_amp_site_record (site, GOMP_AMP_SITE_FACTORS);
}

/* The record of SITE, or that of GOMP_AID_SF, which is made if necessary.  NULL
   if memory is short.  */

static struct factors * __attribute__ ((noinline))
new_factors (struct gomp_amp_site *site)
{
  struct factors *factors;

  gomp_amp_acquire (GOMP_AMP_LOCK_FACTORS);
  /* Another thread may have made it before we had the lock.  */
  factors = known_factors (site);
  if (factors == NULL)
    factors = make_factors (site);
  gomp_amp_release (GOMP_AMP_LOCK_FACTORS);
  return factors;
}

static inline struct factors *
factors_of (struct gomp_amp_site *site)
{
  struct factors *factors = known_factors (site);

  return __builtin_expect (factors != NULL, 1) ? factors : new_factors (site);
}

/* Report, once, that FACTORS give no factor for CLASS.  */

static void __attribute__ ((noinline))
report_lacking (const struct factors *factors, unsigned class)
{
  static bool reported;
  const char *who = "GOMP_AID_SF";

  if (__atomic_exchange_n (&reported, true, __ATOMIC_RELAXED))
    return;
  if (factors->site != NULL)
    who = (factors->site->name != NULL ? factors->site->name
				       : "GOMP_AID_SF_FILE");
  gomp_error ("%s gives no speedup factor for core class %u of 0..%u;"
	      " sampling instead", who, class, gomp_amp_class_count () - 1);
}

/* If the record of SITE, or of GOMP_AID_SF if SITE is NULL, gives factors for
   all classes in PRESENT, copy it to SF and return true.  */

static inline bool
use_factors (struct gomp_amp_site *site, unsigned long long present, double *sf)
{
  const struct factors *factors = factors_of (site);

  if (factors == NULL || factors->given == 0)
    return false;
  if (__builtin_expect ((present & ~factors->given) != 0, 0))
    {
      report_lacking (factors, __builtin_ctzll (present & ~factors->given));
      return false;
    }
  for (unsigned class = 0, n = gomp_amp_class_count (); class < n; class++)
    sf[class] = factors->sf[class];
  return true;
}

bool
gomp_amp_offline_sf (struct gomp_amp_site *site, unsigned long long present,
		     double *sf)
{
  return ((site != NULL && use_factors (site, present, sf))
	  || (gomp_amp_options.sf.count != 0
	      && use_factors (NULL, present, sf)));
}

void
gomp_amp_record_sf (struct gomp_amp_site *site, const void *address,
		    const double *sf)
{
  unsigned classes = gomp_amp_class_count ();
  double max = gomp_amp_options.sf_max;
  struct factors *factors;

  if (gomp_amp_options.sf_save == NULL)
    return;
  /* The loop may be where a loop of an unloaded module was.  Its samples must
     not be saved as that one's.  */
  site = gomp_amp_check_site (site, address);
  factors = site != NULL ? factors_of (site) : NULL;
  if (factors == NULL)
    return;
  gomp_amp_acquire (GOMP_AMP_LOCK_FACTORS);
  for (unsigned class = 0; class < classes; class++)
    if (sf[class] > 0)
      {
	/* A factor beyond these bounds could not be read back.  */
	factors->sum[class] += sf[class] > max       ? max
			       : sf[class] < 1 / max ? 1 / max
						     : sf[class];
	factors->count[class]++;
      }
  factors->samples++;
  __atomic_store_n (&recorder, getpid (), __ATOMIC_RELAXED);
  gomp_amp_release (GOMP_AMP_LOCK_FACTORS);
}

/* If the loop of FACTORS was sampled, put the means into LINES, in place of the
   line that the file had, which stays if memory is short.  */

static void
save_factors (const struct factors *factors)
{
  unsigned classes = gomp_amp_class_count ();
  double mean[GOMP_AMP_MAX_CLASSES];
  struct gomp_amp_sf_line *line;
  char *name;

  GOMP_AMP_ASSERT (gomp_amp_holds_lock (GOMP_AMP_LOCK_FACTORS));
  if (factors->samples == 0 || factors->site->name == NULL)
    return;
  for (unsigned class = 0; class < classes; class++)
    mean[class] = (factors->count[class] != 0
		   ? factors->sum[class] / factors->count[class] : 0);
  name = strdup (factors->site->name);
  if (name == NULL)
    return;
  line = gomp_amp_new_sf_line (name, factors->samples, classes, mean);
  if (line == NULL)
    return;
  gomp_amp_remove_sf_line (&lines, factors->site->name);
  gomp_amp_add_sf_line (&lines, line);
}

void
gomp_amp_save_factors (void)
{
  /* Relaxed: what RECORDER guards is read under the lock.  The lock is not
     taken for this check: another thread may have held it when a child was made
     by other means than fork.  */
  if (gomp_amp_options.sf_save == NULL
      || __atomic_load_n (&recorder, __ATOMIC_RELAXED) != getpid ())
    return;
  gomp_amp_acquire (GOMP_AMP_LOCK_FACTORS);
  for (const struct factors *factors = all; factors != NULL;
       factors = factors->next)
    save_factors (factors);
  gomp_amp_write_sf_lines (&lines, gomp_amp_options.sf_save,
			   gomp_amp_classes_fingerprint ());
  gomp_amp_release (GOMP_AMP_LOCK_FACTORS);
}
