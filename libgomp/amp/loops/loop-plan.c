/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Decides about the plan of a loop, and learns from timed runs.  */

/* For sched_getcpu.  */
#ifndef _GNU_SOURCE
# define _GNU_SOURCE 1
#endif
#include <stdlib.h>
#include "libgomp.h"
#include "base/assert.h"
#include "base/clock.h"
#include "base/width.h"
#include "loops/loop-plan.h"
#include "loops/loop-shares.h"
#include "machine/cpu.h"
#include "machine/machine.h"
#include "options/options.h"
#include "sites/sites.h"

/* A loop whose first run is shorter than this, in nanoseconds, or that has
   fewer iterations for each thread, is shared out at once from the second run
   on.  */
#define SHORT_NS 100000
#define FEW 4

/* In a longer loop removals cost less than 1 %, and even out more than shares
   do.  */
#define LONG_NS 1000000

/* Runs of a loop are compared if their trip counts differ by less than this
   factor, and the teams are alike.  After so many others in succession these
   are what is compared.  */
#define ALIKE 2
#define OTHERS 16

/* Between timed runs that are not compared there are fewer than so many.  */
#define MOST_UNLIKE 4

/* A loop is uneven if the last thread ends later than the others of its class
   by one part in so many, in most runs.  */
#define UNEVEN 8

_Static_assert (GOMP_LOOP_CLASSES == GOMP_AMP_TEAM_CLASSES,
		"a team knows the threads of the classes that loops have");

/* How a loop of NI iterations was shared out by WIDTH: the shares of slower
   classes.  */
struct gomp_loop_mapping
{
  unsigned char width;
  unsigned long long ni;
  unsigned long long share[GOMP_LOOP_CLASSES];
};

/* Never freed.  */
struct gomp_loop_record
{
  /* Shared.  WIDTH: enum gomp_width.  SKIP: runs that are not timed.  KNOWN:
     whether OF has any values, and whether they are measured.  NI: the trip
     count with which widths are compared.  */
  unsigned char width;
  unsigned char known;
  unsigned skip;
  unsigned long long ni;
  struct gomp_loop_speed of[GOMP_LOOP_CLASSES];
  /* That of the last loop, and whether OF has changed since.  */
  struct gomp_loop_mapping last;
  bool changed;

  /* The generation of the loop that is timed, or 0.  */
  unsigned long long busy;

  /* The rest is of that loop.  Atomic, since its threads add to them: how many
     have ended, whether one has another class than the plan says, and what they
     measured.  */
  unsigned ended;
  bool moved;
  struct gomp_loop_times times[GOMP_LOOP_CLASSES];
  /* Its start, and the numbers of threads of each class.  RAN: enum gomp_width.
     COMPARED: whether its time counts for WIDTHS.  */
  unsigned long long since;
  unsigned threads[GOMP_LOOP_CLASSES];
  unsigned char ran;
  bool compared;
  /* Whether only the first run was timed, which pages, caches and new threads
     may have made longer than SHORT_NS.  */
  bool cold;
  /* Of teams of TEAM threads.  OTHERS: how many runs in succession were not
     like the others.  UNEVEN: how often the loop was uneven of late.  */
  unsigned team, others, uneven;
  struct gomp_widths widths;
};

enum { UNKNOWN, GUESSED, MEASURED };

/* What one loop leaves in a core's caches the next one finds there if that has
   the same iterations.  So short loops of one trip count have one mapping,
   which changes where another one is better by one part in SAME.  Hints, as
   what records share is.  */
#define SAME 8
#define MAPPINGS_LOG2 4
#define HASH 0x9e3779b97f4a7c15ULL
static struct gomp_loop_mapping mappings[1 << MAPPINGS_LOG2];

/* A double that other threads may write, and one that they may read.  */

static inline double
get (const double *from)
{
  double value;

  __atomic_load (from, &value, __ATOMIC_RELAXED);
  return value;
}

static inline void
set (double *to, double value)
{
  __atomic_store (to, &value, __ATOMIC_RELAXED);
}

/* The record of the loop at ADDRESS.  NULL if memory is short.  */

static inline struct gomp_loop_record *
find_record (const void *address)
{
  struct gomp_amp_site *site = gomp_amp_site (address);
  struct gomp_loop_record *record, *published;

  if (__builtin_expect (site == NULL, 0))
    return NULL;
  record = gomp_amp_site_record (site, GOMP_AMP_SITE_LOOP);
  if (__builtin_expect (record != NULL, 1))
    return record;
  record = calloc (1, sizeof *record);
  if (record == NULL)
    return NULL;
  published = gomp_amp_publish_record (site, GOMP_AMP_SITE_LOOP, record);
  if (published != record)
    free (record);
  return published;
}

/* Copy to MEMBERS which threads of TEAM are of which of CLASSES classes, and
   how many are to THREADS.  Returns whether each thread is of one class, and
   there are several.  */

static inline bool
find_members (unsigned classes, const struct gomp_team *team,
	      unsigned long long *members, unsigned *threads)
{
  unsigned long long all = ~0ULL >> (64 - team->nthreads);
  unsigned long long seen = 0, twice = 0;
  bool several = false;

  for (unsigned c = 0; c < classes; c++)
    {
      unsigned long long of_class
	= __atomic_load_n (&team->amp_members[c], __ATOMIC_RELAXED) & all;

      several |= of_class != 0 && seen != 0;
      twice |= seen & of_class;
      seen |= of_class;
      members[c] = of_class;
      threads[c] = gomp_loop_count (of_class);
    }
  return seen == all && twice == 0 && several;
}

/* Fill OF with what the machine says, for a loop in which all THREADS run NI
   iterations in NS.  Where it says nothing, a class counts as half as fast as
   the next one.  */

static void
guess (unsigned classes, const unsigned *threads, double ni, double ns,
       struct gomp_loop_speed *of)
{
  const unsigned *capacity
    = gomp_amp_classes_forced () ? NULL : gomp_amp_machine ()->capacity;
  double speed[GOMP_LOOP_CLASSES], sum = 0;

  for (unsigned c = 0; c < classes; c++)
    {
      speed[c] = capacity != NULL && capacity[c] != 0 ? capacity[c] : 1u << c;
      sum += threads[c] * speed[c];
    }
  for (unsigned c = 0; c < classes; c++)
    {
      double now = speed[c] * ni / (sum * ns);

      set (&of[c].speed, now);
      set (&of[c].time, 1 / now);
      set (&of[c].lag, 0);
    }
}

/* Fill SHARES with those of MAPPING for LOOP by WIDTH.  Returns false if it is
   of other loops.  */

static inline bool
take_mapping (const struct gomp_loop_mapping *mapping,
	      const struct gomp_amp_loop *loop, const unsigned *threads,
	      enum gomp_width width, struct gomp_loop_shares *shares)
{
  gomp_aid_count rest = loop->ni;

  if (__atomic_load_n (&mapping->ni, __ATOMIC_RELAXED) != loop->ni
      || __atomic_load_n (&mapping->width, __ATOMIC_RELAXED) != width)
    return false;
  /* Another thread may be writing them, or the team is another one.  Whatever
     is read is right if there are as many iterations.  */
  for (unsigned c = 0; c < loop->classes; c++)
    {
      gomp_aid_count all;

      shares->share[c] = __atomic_load_n (&mapping->share[c], __ATOMIC_RELAXED);
      if (__builtin_mul_overflow (shares->share[c], threads[c], &all)
	  || all > rest)
	return false;
      rest -= all;
    }
  gomp_loop_share_rest (loop->classes, threads, rest, shares);
  return true;
}

/* Keep SHARES of LOOP by WIDTH in MAPPING.  */

static inline void
keep_mapping (struct gomp_loop_mapping *mapping,
	      const struct gomp_amp_loop *loop, enum gomp_width width,
	      const struct gomp_loop_shares *shares)
{
  for (unsigned c = 0; c < loop->classes; c++)
    __atomic_store_n (&mapping->share[c],
		      c == shares->fastest ? 0 : shares->share[c],
		      __ATOMIC_RELAXED);
  __atomic_store_n (&mapping->width, width, __ATOMIC_RELAXED);
  __atomic_store_n (&mapping->ni, loop->ni, __ATOMIC_RELAXED);
}

/* The mapping of the last loops with as many iterations as LOOP.  */

static inline struct gomp_loop_mapping *
common_mapping (const struct gomp_amp_loop *loop)
{
  return &mappings[loop->ni * HASH >> (64 - MAPPINGS_LOG2)];
}

/* Fill SHARES with what RECORD says of LOOP.  */

static inline void
compute_shares (const struct gomp_amp_loop *loop,
		struct gomp_loop_record *record, const unsigned *threads,
		enum gomp_width width, struct gomp_loop_shares *shares)
{
  struct gomp_loop_mapping *tried[] = { common_mapping (loop), &record->last };
  struct gomp_loop_speed of[GOMP_LOOP_CLASSES];
  struct gomp_loop_shares other;
  double most;

  for (unsigned c = 0; c < loop->classes; c++)
    {
      of[c].speed = get (&record->of[c].speed);
      of[c].time = get (&record->of[c].time);
      of[c].lag = get (&record->of[c].lag);
    }
  gomp_loop_share (loop->classes, threads, of, width == GOMP_WIDTH_FAST,
		   loop->ni, shares);
  most = gomp_loop_length (loop->classes, threads, of, shares);
  if (most < SHORT_NS)
    most += most / SAME;
  for (int i = 0; i < 2; i++)
    if (take_mapping (tried[i], loop, threads, width, &other)
	&& gomp_loop_length (loop->classes, threads, of, &other) <= most)
      {
	*shares = other;
	break;
      }
  /* A trial on the fast cores alone leaves the common one.  */
  for (int i = width == GOMP_WIDTH_FAST; i < 2; i++)
    keep_mapping (tried[i], loop, width, shares);
  __atomic_store_n (&record->changed, false, __ATOMIC_RELAXED);
}

/* Have LOOP shared out to MEMBERS as RECORD says, by WIDTH.  */

static inline void
share_out (struct gomp_amp_loop *loop, struct gomp_loop_record *record,
	   const unsigned long long *members, const unsigned *threads,
	   enum gomp_width width)
{
  struct gomp_loop_shares shares;
  gomp_aid_count at = 0;

  if (__atomic_load_n (&record->changed, __ATOMIC_RELAXED)
      || !take_mapping (&record->last, loop, threads, width, &shares))
    compute_shares (loop, record, threads, width, &shares);
  for (unsigned c = loop->classes; c-- > 0;)
    {
      loop->share[c] = shares.share[c];
      gomp_aid_sums (loop)[c] = members[c];
      gomp_aid_first (loop)[c] = at;
      at += threads[c] * shares.share[c];
      if (c == shares.fastest)
	at += shares.extra;
    }
  GOMP_AMP_ASSERT (at == loop->ni);
  /* The first thread begins last, if a region begins with the loop.  */
  loop->chunk = threads[shares.fastest] - shares.extra;
  loop->arg = shares.fastest;
  loop->planned = true;
}

/* Which widths LOOP of RECORD can have.  */

static inline void
find_widths (const struct gomp_loop_record *record,
	     const struct gomp_amp_loop *loop, unsigned threads,
	     unsigned long long ns, bool may[GOMP_WIDTHS])
{
  bool few = loop->ni < (gomp_aid_count) FEW * 4 * threads;

  may[GOMP_WIDTH_FAST] = true;
  may[GOMP_WIDTH_SHARES] = ns < LONG_NS || few;
  may[GOMP_WIDTH_ALL] = (record->widths.width != GOMP_WIDTH_SHARES
			 || !may[GOMP_WIDTH_SHARES]
			 || record->uneven >= UNEVEN / 2);
}

/* The width of LOOP, which is RECORD's.  What is best for those that are
   compared is not for much shorter and for longer ones.  */

static inline enum gomp_width
unlike (const struct gomp_loop_record *record, const struct gomp_amp_loop *loop)
{
  enum gomp_width width = __atomic_load_n (&record->width, __ATOMIC_RELAXED);
  unsigned long long ni = __atomic_load_n (&record->ni, __ATOMIC_RELAXED);

  if ((width == GOMP_WIDTH_ALL && loop->ni < ni / (2 * ALIKE))
      || (width == GOMP_WIDTH_FAST && loop->ni > ni * ALIKE))
    width = GOMP_WIDTH_SHARES;
  return width;
}

/* The width by which LOOP, which is RECORD's and is timed, is to run.  */

static enum gomp_width
choose (struct gomp_loop_record *record, const struct gomp_amp_loop *loop,
	unsigned threads)
{
  static const bool may[GOMP_WIDTHS] = { true, true, true };
  unsigned long long most;
  bool timed;

  record->compared = (threads == record->team
		      && loop->ni < record->ni * ALIKE
		      && record->ni < loop->ni * ALIKE);
  if (!record->compared)
    return unlike (record, loop);
  /* It counts for itself, in SKIP, what is not timed.  */
  record->widths.skip = 0;
  return gomp_width_choose (&gomp_width_of_loops, &record->widths, may,
			    threads, &timed, &most);
}

/* Time LOOP for RECORD.  */

static void
begin_timing (struct gomp_loop_record *record, struct gomp_amp_loop *loop,
	      const unsigned *threads)
{
  loop->record = record;
  record->ended = 0;
  record->moved = false;
  for (unsigned c = 0; c < loop->classes; c++)
    {
      record->threads[c] = threads[c];
      record->times[c] = (struct gomp_loop_times) { 0 };
    }
  record->since = gomp_amp_clock ();
}

/* Whether LOOP is to be timed for RECORD: then RECORD is the calling
   thread's.  */

static inline bool
claim (struct gomp_loop_record *record, const struct gomp_amp_loop *loop)
{
  unsigned long long idle = 0;
  unsigned skip = __atomic_load_n (&record->skip, __ATOMIC_RELAXED);

  if (__builtin_expect (skip != 0, 1))
    {
      /* Two threads may count one run.  */
      __atomic_store_n (&record->skip, skip - 1, __ATOMIC_RELAXED);
      return false;
    }
  if (__atomic_compare_exchange_n (&record->busy, &idle, loop->generation,
				   false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
    return true;
  /* Another run is timed; or the one that was timed was cancelled, and none
     will be.  */
  __atomic_store_n (&record->skip, gomp_width_of_loops.timed, __ATOMIC_RELAXED);
  return false;
}

void
gomp_loop_plan (struct gomp_amp_loop *loop, const struct gomp_team *team,
		const void *address)
{
  enum gomp_width width;
  struct gomp_loop_record *record;
  unsigned long long members[GOMP_LOOP_CLASSES];
  unsigned threads[GOMP_LOOP_CLASSES];
  bool timed;

  if (!GOMP_AID_LOCK_FREE || !loop->timed || !loop->roomy || loop->ni == 0
      || !(loop->traits & (GOMP_AMP_TAIL | GOMP_AMP_PHASES))
      || ((loop->traits & GOMP_AMP_TAIL) && loop->arg != 0)
      || team->nthreads > 64 || loop->classes > GOMP_LOOP_CLASSES
      || gomp_amp_options.sample_ns == 0
      || gomp_amp_options.loop_plans == GOMP_AMP_PLANS_NONE)
    return;
  loop->learned = true;
  if (!find_members (loop->classes, team, members, threads))
    return;
  record = find_record (address);
  if (record == NULL)
    return;
  timed = claim (record, loop);
  width = unlike (record, loop);
  if (timed)
    {
      width = choose (record, loop, team->nthreads);
      if (record->known == UNKNOWN && loop->ni <= team->nthreads)
	{
	  guess (loop->classes, threads, (long long) loop->ni, 1, record->of);
	  __atomic_store_n (&record->known, GUESSED, __ATOMIC_RELAXED);
	  width = GOMP_WIDTH_SHARES;
	}
      record->ran = width;
      begin_timing (record, loop, threads);
    }
  if (width != GOMP_WIDTH_ALL
      && __atomic_load_n (&record->known, __ATOMIC_RELAXED) != UNKNOWN)
    share_out (loop, record, members, threads, width);
}

/* RECORD's run of NI iterations in a team of TEAM threads took NS: what it says
   about the widths.  */

static void
learn_width (struct gomp_loop_record *record, const struct gomp_amp_loop *loop,
	     unsigned team, unsigned long long ns)
{
  bool may[GOMP_WIDTHS];

  if (record->compared && !(record->cold && ns < SHORT_NS))
    {
      record->others = 0;
      record->cold = false;
      find_widths (record, loop, team, ns, may);
      /* As if it had so many iterations as those with which it is compared.  */
      gomp_width_note (&gomp_width_of_loops, &record->widths, may, record->ran,
		       (double) ns * record->ni / loop->ni, team);
      return;
    }
  if (!record->compared && record->team != 0 && ++record->others < OTHERS)
    return;
  /* The first run, or the loop is another one by now.  */
  record->widths = (struct gomp_widths) { .last = GOMP_WIDTH_FAST };
  if (ns < SHORT_NS || loop->ni < (gomp_aid_count) FEW * team)
    record->widths
      = (struct gomp_widths) { .width = GOMP_WIDTH_SHARES,
			       .tried = GOMP_WIDTH_SHARES };
  record->cold = (record->team == 0
		  && record->widths.width != GOMP_WIDTH_SHARES);
  record->others = record->uneven = 0;
  record->team = team;
  __atomic_store_n (&record->ni, loop->ni, __ATOMIC_RELAXED);
}

/* Pass on the speeds that RECORD has, by class, as factors.  */

static void
tell_factors (const struct gomp_loop_record *record, unsigned classes)
{
  double r[GOMP_LOOP_CLASSES];
  double slowest = 0;

  for (unsigned c = classes; c-- > 0;)
    if (record->threads[c] != 0)
      slowest = record->of[c].time;
  for (unsigned c = 0; c < classes; c++)
    r[c] = record->threads[c] != 0 ? record->of[c].speed * slowest : 0;
  gomp_aid_measured (classes, r);
}

/* RECORD's run of LOOP, which was planned, has ended after NS: what it says
   about the speed of each class, and whether iterations are uneven.  */

static void
learn_speeds (struct gomp_loop_record *record,
	      const struct gomp_amp_loop *loop, unsigned long long ns)
{
  struct gomp_loop_speed of[GOMP_LOOP_CLASSES];
  double latest = 0;

  for (unsigned c = 0; c < loop->classes; c++)
    {
      const struct gomp_loop_times *times = &record->times[c];
      double end;

      of[c] = record->of[c];
      if (record->threads[c] == 0 || times->iterations == 0)
	continue;
      end = times->lag + (double) times->work / record->threads[c];
      if (latest < end)
	latest = end;
    }
  if (record->moved || (double) ns > latest + latest / UNEVEN)
    record->uneven += record->uneven < UNEVEN;
  else
    record->uneven -= record->uneven != 0;
  if (record->moved)
    return;
  gomp_loop_learn (loop->classes, record->threads, record->times,
		   record->known != MEASURED, of);
  for (unsigned c = 0; c < loop->classes; c++)
    {
      set (&record->of[c].speed, of[c].speed);
      set (&record->of[c].time, of[c].time);
      set (&record->of[c].lag, of[c].lag);
      record->of[c].late = of[c].late;
    }
  if (__builtin_expect (gomp_aid_measured != NULL, 0))
    tell_factors (record, loop->classes);
  __atomic_store_n (&record->changed, true, __ATOMIC_RELAXED);
  __atomic_store_n (&record->known, MEASURED, __ATOMIC_RELAXED);
}

/* How many runs are not timed after one of RECORD's.  If that was not compared
   some: at equal distances it may be always the same level of a multigrid.  */

static unsigned
untimed_after (const struct gomp_loop_record *record)
{
  const struct gomp_widths *widths = &record->widths;

  if (!record->compared)
    return record->others % MOST_UNLIKE;
  if (widths->tried != widths->width
      || widths->count[widths->width] < GOMP_WIDTH_TIMES)
    return 0;
  return widths->skip;
}

/* All threads of TEAM have ended LOOP, which RECORD timed, at NOW.  */

static void
learn (struct gomp_loop_record *record, const struct gomp_amp_loop *loop,
       unsigned team, unsigned long long now)
{
  unsigned long long ns = now > record->since ? now - record->since : 1;

  /* A trial on the fast cores alone leaves the caches to others, and more than
     they hold to these.  */
  if (loop->planned
      && (record->ran != GOMP_WIDTH_FAST
	  || record->widths.width == GOMP_WIDTH_FAST))
    learn_speeds (record, loop, ns);
  else if (!loop->planned && record->known == UNKNOWN)
    {
      guess (loop->classes, record->threads, (long long) loop->ni, ns,
	     record->of);
      __atomic_store_n (&record->known, GUESSED, __ATOMIC_RELAXED);
    }
  learn_width (record, loop, team, ns);
  __atomic_store_n (&record->width, record->widths.width, __ATOMIC_RELAXED);
  __atomic_store_n (&record->skip, untimed_after (record), __ATOMIC_RELAXED);
  __atomic_store_n (&record->busy, 0, __ATOMIC_RELEASE);
}

/* Make *MOST no less than VALUE.  */

static inline void
raise_to (unsigned long long *most, unsigned long long value)
{
  unsigned long long now = __atomic_load_n (most, __ATOMIC_RELAXED);

  while (now < value
	 && !__atomic_compare_exchange_n (most, &now, value, true,
					  __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    continue;
}

void
gomp_loop_timed_ends (struct gomp_thread *thr)
{
  struct gomp_amp_thread *me = &thr->ts.amp;
  struct gomp_amp_loop *loop = thr->ts.work_share->amp;
  unsigned long long now;
  struct gomp_loop_record *record;

  me->timed = false;
  /* What was timed may have been cancelled.  */
  if (!GOMP_AID_LOCK_FREE || loop == NULL
      || loop->generation != me->generation)
    return;
  now = gomp_amp_clock ();
  record = loop->record;
  gomp_event_meet ();
  if (loop->planned)
    {
      struct gomp_loop_times *times = &record->times[me->cls];

      if (me->since > record->since)
	raise_to (&times->lag, me->since - record->since);
      __atomic_fetch_add (&times->work, now - me->since, __ATOMIC_RELAXED);
      __atomic_fetch_add (&times->iterations, me->taken, __ATOMIC_RELAXED);
      if (gomp_amp_current_class (thr) != me->cls)
	__atomic_store_n (&record->moved, true, __ATOMIC_RELAXED);
    }
  /* Release our additions to the last thread, which acquires those of all.  */
  if (__atomic_add_fetch (&record->ended, 1, __ATOMIC_ACQ_REL)
      == thr->ts.team->nthreads)
    learn (record, loop, thr->ts.team->nthreads, now);
}
