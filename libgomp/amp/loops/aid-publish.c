/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Turns the measurements of an AID loop's threads into their shares.  */

#include <string.h>
#include "libgomp.h"
#include "base/assert.h"
#include "loops/aid-loop.h"
#include "loops/aid-math.h"
#include "ompt/ompt.h"

/* The iterations that are left in the pool.  */

static inline gomp_aid_count
left (struct gomp_amp_loop *loop)
{
  gomp_aid_count at = __atomic_load_n (&loop->next, __ATOMIC_RELAXED);
  return at < loop->ni ? loop->ni - at : 0;
}

/* The threads that the sums of LOOP's CLASSES have counted.  */

static inline unsigned
counted (struct gomp_amp_loop *loop, unsigned classes)
{
  unsigned threads = 0;

  for (unsigned c = 0; c < classes; c++)
    threads += gomp_aid_sums (loop)[c] / GOMP_AID_MEMBER;
  return threads;
}

/* All threads have counted themselves in for PHASE.  Turn the sums of the
   CLASSES into TALLY and into the speedup factors R, and reset the sums to
   zero.  */

static inline void
estimate (struct gomp_amp_loop *loop, unsigned phase, unsigned classes,
	  struct gomp_aid_tally *tally, double *r)
{
  double max = gomp_amp_options.sf_max;
  unsigned long long *sums = gomp_aid_sums (loop);

  GOMP_AMP_ASSERT (counted (loop, classes) == loop->arrived);
  for (unsigned c = 0; c < classes; c++)
    {
      tally[c].threads = sums[c] / GOMP_AID_MEMBER;
      /* The mean of the threads' times.  */
      tally[c].ns = sums[c] % GOMP_AID_MEMBER;
      tally[c].iterations
	= (unsigned long long) tally[c].threads * GOMP_AID_TICK;
      if (phase > 1 || loop->offline)
	r[c] = gomp_aid_r (loop)[c];
      sums[c] -= tally[c].ns;
    }
  loop->arrived = 0;

  if (phase == 1 && !loop->offline)
    {
      gomp_aid_speedups (classes, tally, max, r);
      if (__builtin_expect (gomp_aid_measured != NULL, 0))
	gomp_aid_measured (classes, r);
      if (__builtin_expect (gomp_amp_wants_sites, 0))
	gomp_amp_record_sf (loop->site, loop->address, r);
      /* A tool may ask for them.  */
      if (gomp_ompt_p ())
	memcpy (gomp_aid_r (loop), r, classes * sizeof *r);
    }
  else if (phase > 1)
    gomp_aid_adjust (classes, tally, max, r);
}

/* Compute the shares of PHASE, and keep what the next phase needs.  Returns
   PHASE; or GOMP_AID_LAST if too little is left for it.  */

static inline unsigned
share_phase (struct gomp_amp_loop *loop, unsigned phase, unsigned classes,
	     struct gomp_aid_tally *tally, double *r)
{
  gomp_aid_count major;

  /* With given factors nothing has been timed before phase 1.  */
  if (!loop->timed || (phase == 1 && loop->offline))
    major = loop->arg;
  else
    major = gomp_aid_major (classes, tally, r, loop->ni,
			    gomp_amp_options.sample_ns);
  if (gomp_aid_phase (classes, tally, r, major, loop->share) > left (loop))
    phase = GOMP_AID_LAST;
  for (unsigned c = 0; c < classes; c++)
    gomp_aid_r (loop)[c] = r[c];
  return phase;
}

/* Compute the shares of LOOP, which has one phase.  Returns the phase's
   number.  */

static inline unsigned
share_loop (struct gomp_amp_loop *loop, unsigned classes,
	    struct gomp_aid_tally *tally, double *r)
{
  gomp_aid_count ni = left (loop);
  unsigned phase = 1;

  /* Threads that began together end together if each gets its share of the
     whole loop, less what it has run.  If a quarter of the loop is gone, a
     thread came late or its sample took long: then only what is left is
     shared.  */
  if (ni < loop->ni - loop->ni / 4)
    phase = GOMP_AID_LATE;
  else
    ni = loop->ni;
  gomp_aid_shares (classes, tally, r, ni, loop->arg, loop->share);
  return phase;
}

void
gomp_aid_publish (struct gomp_amp_loop *loop)
{
  /* As in gomp_aid_next: nothing refers to libatomic then.  */
  if (!GOMP_AID_LOCK_FREE)
    return;

  unsigned classes = loop->classes;
  unsigned phase = loop->phase + 1;
  struct gomp_aid_tally tally[classes];
  double r[classes];

  /* Only a loop with phases publishes again, and none after the last.  */
  GOMP_AMP_ASSERT (phase == 1 || (phase != 0
				  && (loop->traits & GOMP_AMP_PHASES)));
  estimate (loop, phase, classes, tally, r);
  /* A loop with phases publishes most often.  */
  if (__builtin_expect (loop->traits & GOMP_AMP_PHASES, 1))
    phase = share_phase (loop, phase, classes, tally, r);
  else if (loop->arg == 0)
    gomp_aid_shares (classes, tally, r, ~0U / GOMP_AID_TAPER, 100, loop->share);
  else
    phase = share_loop (loop, classes, tally, r);

  /* Release: a thread that sees the phase sees its shares, and times that
     start from zero.  */
  __atomic_store_n (&loop->phase, phase, __ATOMIC_RELEASE);
}
