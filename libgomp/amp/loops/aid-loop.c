/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The state machine of a loop under an AID (asymmetric iteration distribution)
   schedule.  It is lock-free, and decides how many iterations each thread takes
   and when.

   Source: Saez, Castro, Prieto-Matias, ICPP 2020, sections 4.2 (aid_static,
   aid_hybrid) and 4.3 (aid_dynamic).  */

/* For sched_getcpu.  */
#ifndef _GNU_SOURCE
# define _GNU_SOURCE 1
#endif
#include "libgomp.h"
#include "loops/aid-loop.h"
#include "loops/aid-math.h"
#include "loops/loop-plan.h"
#include "base/assert.h"
#include "base/clock.h"
#include "machine/cpu.h"

enum
{
  /* Timing the first iterations; and a second time, if the first sample was too
     long or the thread moved to another class.  */
  AID_SAMPLING,
  AID_RESAMPLING,
  /* Counted in; the shares are not published yet.  */
  AID_WAITING,
  /* Running its part of a phase of aid_dynamic.  */
  AID_PHASE,
  /* Takes from what is left in the pool: no allotment is due any more.  */
  AID_TAIL,
  /* Takes from the pool in a loop too short to time.  */
  AID_BRIEF,
  /* Has taken the pool's last iteration.  */
  AID_DONE
};

/* log2 of N, rounded up.  */

static inline unsigned
log2_up (unsigned n)
{
  return n <= 1 ? 0 : 32 - __builtin_clz (n - 1);
}

/* Three days, in nanoseconds.  A longer difference is no measurement: the clock
   went backwards.  */
#define NO_TIME (1ULL << 48)

/* Nanoseconds since ME's last block, which is timed, began; NO_TIME if that is
   no measurement.  */

static inline unsigned long long
elapsed (const struct gomp_amp_thread *me)
{
  unsigned long long ns = gomp_amp_clock () - me->since;
  return ns < NO_TIME ? ns : NO_TIME;
}

/* ME ran ITERATIONS in NS: choose how many it takes at once.  A short time or
   few iterations are weak evidence, so the number grows step by step, by
   GOMP_AID_GROWTH.  But it is at least 1 / GOMP_AID_LEAST of the timed chunk,
   the shortest to which unit cuts that.  */

static inline void
retime (struct gomp_amp_thread *me, unsigned long long ns,
	gomp_aid_count iterations)
{
  /* The team's size, rounded up to a power of two.  */
  unsigned threads = 1u << (me->shift - 1);
  gomp_aid_count chunk = gomp_aid_timed_chunk (ns, iterations, threads);
  gomp_aid_count most = iterations * GOMP_AID_GROWTH;
  gomp_aid_count least = chunk / GOMP_AID_LEAST;
  if (most < least)
    most = least;
  me->unit = chunk < most ? chunk : most;
}

static inline unsigned
team_size (struct gomp_thread *thr)
{
  return thr->ts.team ? thr->ts.team->nthreads : 1;
}

/* The class of THR, the calling thread.  A class found after LOOP was allocated
   counts as the fastest.  */

static inline unsigned
current_class (struct gomp_thread *thr, const struct gomp_amp_loop *loop)
{
  unsigned cls = gomp_amp_current_class (thr);
  return cls < loop->classes ? cls : loop->classes - 1;
}

/* Take up to WANT iterations from the pool.  Relaxed order is enough, since the
   counter carries no other data with it: the loop's parameters came with the
   work share, and its results go with the barrier.  */

static inline bool
take (struct gomp_amp_loop *loop, gomp_aid_count want, gomp_aid_count *first,
      gomp_aid_count *count)
{
  gomp_aid_count ni = loop->ni;
  gomp_aid_count at;

  gomp_event_take_met (&loop->next);
  if (want > ni)
    want = ni;
  if (__builtin_expect (loop->roomy, 1))
    {
      /* No load before: it would fetch the cache line twice.  A thread that
	 finds the pool empty does not come again, so that NEXT never exceeds NI
	 by more than NI for every thread.  */
      at = __atomic_fetch_add (&loop->next, want, __ATOMIC_RELAXED);
      if (at >= ni)
	return false;
      *count = want < ni - at ? want : ni - at;
    }
  else
    {
      at = __atomic_load_n (&loop->next, __ATOMIC_RELAXED);
      do
	{
	  if (at >= ni)
	    return false;
	  *count = want < ni - at ? want : ni - at;
	}
      while (!__atomic_compare_exchange_n (&loop->next, &at, at + *count, true,
					   __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED));
    }
  *first = at;
  return true;
}

/* The part WEIGHT / 2^32 of COUNT.  */

static inline gomp_aid_count
part (gomp_aid_count count, unsigned weight)
{
  if (__builtin_expect (count >> 32 != 0, 0))
    return (count >> 32) * weight;
  return count * weight >> 32;
}

/* The number to take where no allotment is due: the chunk.

   A timed chunk follows from the time of the last block.  It is as long as it
   has to be so that its removal costs little.  Towards the end of the loop it
   gets shorter, so that the threads end together whatever the remaining
   iterations cost: one sixth of this thread's part of the rest.  If that takes
   hardly any time, it is one eighth of the timed chunk, but never more than the
   whole part.

   The rest is what this thread's last removal saw: reading the pool would fetch
   its cache line once more.  It is an upper bound, which the sixth makes up
   for.  */

static inline gomp_aid_count
unit (const struct gomp_amp_loop *loop, const struct gomp_amp_thread *me)
{
  if (!loop->timed)
    return loop->chunk;

  gomp_aid_count want = part (me->rest, me->weight);
  gomp_aid_count all = part (me->rest, me->weight * GOMP_AID_TAPER);
  gomp_aid_count least = me->unit / GOMP_AID_LEAST;
  if (least > all)
    least = all;
  if (want > me->unit)
    want = me->unit;
  if (want < least)
    want = least;
  return want ? want : 1;
}

/* Check whether shares are published.  Acquire: makes the shares of the phase
   that we see visible.  */

static inline void
look (const struct gomp_amp_loop *loop, struct gomp_amp_thread *me)
{
  me->published = __atomic_load_n (&loop->phase, __ATOMIC_ACQUIRE);
}

/* Count this thread in.  Since it last did so, or entered the loop, it measured
   NS for ITERATIONS.  */

static void
arrive (struct gomp_thread *thr, struct gomp_amp_loop *loop,
	struct gomp_amp_thread *me, unsigned long long ns,
	gomp_aid_count iterations)
{
  unsigned threads = team_size (thr);
  unsigned long long mine = 0;

  GOMP_AMP_ASSERT (me->generation == loop->generation
		   && me->cls < loop->classes);
  /* Two discarded samples add up to 2 * NO_TIME.  */
  if (ns < NO_TIME)
    /* The sum over all threads stays below GOMP_AID_MEMBER.  */
    mine = gomp_aid_time (ns, iterations, (GOMP_AID_MEMBER - 1) / threads);
  if (me->phase == 0)
    mine += GOMP_AID_MEMBER;
  /* Relaxed: the addition to ARRIVED orders it.  */
  if (mine != 0)
    __atomic_fetch_add (&gomp_aid_sums (loop)[me->cls], mine, __ATOMIC_RELAXED);
  /* Release our addition to the last thread, which acquires those of all
     threads.  */
  if (__atomic_add_fetch (&loop->arrived, 1, __ATOMIC_ACQ_REL) == threads)
    gomp_aid_publish (loop);
  me->state = AID_WAITING;
  if (loop->arg == 0)
    look (loop, me);
}

/* The number to take now that shares are published.  */

static gomp_aid_count
allotment (struct gomp_thread *thr, struct gomp_amp_loop *loop,
	   struct gomp_amp_thread *me)
{
  GOMP_AMP_ASSERT (me->published != 0 && me->phase != GOMP_AID_LAST);
  unsigned phase = me->phase = me->published;
  gomp_aid_count share = loop->share[me->cls];

  if (loop->traits & GOMP_AMP_PHASES)
    {
      me->state = phase == GOMP_AID_LAST ? AID_TAIL : AID_PHASE;
      return phase == GOMP_AID_LAST ? unit (loop, me) : share;
    }

  me->state = AID_TAIL;
  if (loop->arg == 0)
    {
      me->weight = share;
      return unit (loop, me);
    }
  /* No thread takes more than the share of the class in which it was counted.
     These shares add up to what is to be allotted, so that another thread would
     find less than its own.  Nor does a thread take more than the share of the
     core that it is on now; what it leaves is dynamic.  */
  gomp_aid_count here = loop->share[current_class (thr, loop)];
  gomp_aid_count had = phase == GOMP_AID_LATE ? 0 : me->taken;
  if (share > here)
    share = here;
  return share > had ? share - had : unit (loop, me);
}

/* The number that a thread takes next after it has counted itself in.  */

static gomp_aid_count
due (struct gomp_thread *thr, struct gomp_amp_loop *loop,
     struct gomp_amp_thread *me)
{
  if (loop->arg != 0)
    look (loop, me);
  return me->published == me->phase ? unit (loop, me)
				    : allotment (thr, loop, me);
}

/* The first block of a sample.  Without a given chunk, a few iterations: if
   they are short, one costs less than its removal.  */

static inline gomp_aid_count
first_block (const struct gomp_amp_loop *loop, const struct gomp_amp_thread *me)
{
  if (!loop->timed || gomp_amp_options.sample_ns == 0
      || me->limit <= me->taken)
    return loop->chunk;
  return me->limit - me->taken < 4 ? me->limit - me->taken : 4;
}

/* Whether this thread takes its sample a second time.  It does if it MOVED to
   another class, or if the first sample was much longer than intended.  In that
   case either the iterations are long, and a second sample costs next to
   nothing; or something intervened (the thread was preempted, the clock was
   set), which is not likely to happen twice.  It does not if the user asked for
   the paper's rule, or if the loop is so short that the slowest thread would
   run more than its part.  */

static inline bool
resample (const struct gomp_amp_thread *me, bool moved)
{
  return (me->taken <= me->limit && gomp_amp_options.sample_ns != 0
	  && (moved || me->sampled_ns > 4 * gomp_amp_options.sample_ns));
}

/* Whether this thread's even part of the loop takes so little time, by its
   sample so far, that it is not worth fetching the pool's cache line to
   continue the sample or to count in.  Then no weights are published, and every
   thread keeps an even one.  Not if the user gave a chunk or asked for the
   paper's rule, or if offline factors are given or to be saved.  */

static inline bool
brief (const struct gomp_amp_loop *loop, const struct gomp_amp_thread *me)
{
  /* The part has no fewer iterations than the sample, so it is not brief if the
     sample alone is not.  This is compared first: a block without a time would
     overflow the product.  */
  return (loop->timed && me->sampled_ns < GOMP_AID_BRIEF_NS
	  && (part (loop->ni, me->weight * GOMP_AID_TAPER) * me->sampled_ns
	      < me->sampled * GOMP_AID_BRIEF_NS)
	  && gomp_amp_options.sample_ns != 0 && !gomp_amp_offline ());
}

/* Whether counting in is not worth fetching the pool's cache line: the sample
   has ended and says too little, and nothing is allotted by it.  Not if offline
   factors are given or to be saved.  */

static inline bool
too_short (const struct gomp_amp_loop *loop, const struct gomp_amp_thread *me)
{
  return (loop->arg == 0 && me->sampled <= 4
	  && me->sampled_ns < gomp_amp_options.sample_ns / 4
	  && !gomp_amp_offline ());
}

/* Another block of this thread's sample has run, in NS.  Only the blocks are
   timed.  The removals between them are not: their cost does not depend on the
   class and would pull the factors towards 1.  The time of a block includes
   reading the clock, so a block with more iterations than all before counts
   alone.  Returns whether the sample now spans enough time.  */

static bool
add_block (struct gomp_amp_thread *me, unsigned long long ns)
{
  unsigned long long all = me->sampled_ns + ns;

  if (me->block > me->sampled)
    {
      me->sampled = me->block;
      me->sampled_ns = ns;
    }
  else
    {
      me->sampled += me->block;
      me->sampled_ns = all;
    }
  return all >= gomp_amp_options.sample_ns;
}

/* The most iterations of a sample: NI / (8 T), with T rounded up to a power of
   two.  */

static inline gomp_aid_count
sample_limit (const struct gomp_amp_loop *loop,
	      const struct gomp_amp_thread *me)
{
  return loop->ni >> (me->shift + 2);
}

/* The loop is new to this thread.  Returns the number to take first.  */

static gomp_aid_count
enter (struct gomp_thread *thr, struct gomp_amp_loop *loop,
       struct gomp_amp_thread *me)
{
  unsigned threads = team_size (thr);

  me->generation = loop->generation;
  me->taken = 0;
  me->block = 0;
  me->rest = loop->ni;
  me->sampled = 0;
  me->sampled_ns = 0;
  me->phase = 0;
  me->cls = current_class (thr, loop);
  me->timed = loop->record != NULL;
  if (loop->learned)
    gomp_loop_note_class (thr->ts.team, thr->ts.team_id, me->cls);
  me->shift = 1 + log2_up (threads);
  me->limit = sample_limit (loop, me);
  me->weight = ~0U / GOMP_AID_TAPER / threads;
  me->state = AID_SAMPLING;
  if (!loop->offline)
    return first_block (loop, me);
  /* Nothing is timed yet.  */
  me->unit = loop->chunk;
  arrive (thr, loop, me, 0, 0);
  return due (thr, loop, me);
}

/* A sample of this thread has ended.  Returns the number to take next.  */

static inline gomp_aid_count
end_sample (struct gomp_thread *thr, struct gomp_amp_loop *loop,
	    struct gomp_amp_thread *me)
{
  /* If a thread moved to a core of another class, its time is valid for neither
     class.  If there is no second sample, or the thread moves in both, the time
     counts for the class where it ended.  Without a time the thread would make
     its class look faster than it is.  */
  unsigned before = me->cls;
  me->cls = current_class (thr, loop);
  bool moved = me->cls != before;

  if (me->state == AID_RESAMPLING)
    {
      if (!moved)
	gomp_aid_settle (me->first_ns, me->first, &me->sampled_ns,
			 &me->sampled);
    }
  else if (resample (me, moved))
    {
      me->state = AID_RESAMPLING;
      me->first = me->sampled;
      me->first_ns = moved ? NO_TIME : me->sampled_ns;
      me->sampled = 0;
      me->sampled_ns = 0;
      me->limit = me->taken + sample_limit (loop, me);
      return first_block (loop, me);
    }
  retime (me, me->sampled_ns, me->sampled);
  /* Such a loop spends its time on removals: take all that is due in one.  */
  if (brief (loop, me))
    {
      me->unit = ~0ULL;
      me->state = AID_BRIEF;
      return unit (loop, me);
    }
  if (!(loop->traits & GOMP_AMP_SAMPLES) || too_short (loop, me))
    {
      me->state = AID_TAIL;
      return unit (loop, me);
    }
  arrive (thr, loop, me, me->sampled_ns, me->sampled);
  return due (thr, loop, me);
}

/* The number to take next, after the last block of this thread has run.  */

static gomp_aid_count
proceed (struct gomp_thread *thr, struct gomp_amp_loop *loop,
	 struct gomp_amp_thread *me)
{
  unsigned long long ns;

  switch (me->state)
    {
    case AID_SAMPLING:
    case AID_RESAMPLING:
      if (!add_block (me, elapsed (me)) && me->taken < me->limit
	  && !brief (loop, me))
	{
	  if (!loop->timed)
	    return loop->chunk;
	  /* Longer and longer blocks need few removals.  */
	  gomp_aid_count more = me->limit - me->taken;
	  return more < 4 * me->block ? more : 4 * me->block;
	}
      return end_sample (thr, loop, me);

    case AID_PHASE:
      ns = elapsed (me);
      retime (me, ns, me->block);
      arrive (thr, loop, me, ns, me->block);
      return due (thr, loop, me);

    case AID_DONE:
      return 0;

    default:
      /* The cost of iterations may change along the loop.  */
      if (loop->timed && me->state != AID_BRIEF)
	retime (me, elapsed (me), me->block);
      return me->state == AID_WAITING ? due (thr, loop, me)
				      : unit (loop, me);
    }
}

/* gomp_aid_next for a loop whose threads share the pool.  */

static inline bool
next_shared (struct gomp_thread *thr, struct gomp_amp_loop *loop,
	     gomp_aid_count *first, gomp_aid_count *count)
{
  struct gomp_amp_thread *me = &thr->ts.amp;
  gomp_aid_count want;

  if (me->generation != loop->generation)
    want = enter (thr, loop, me);
  else
    want = proceed (thr, loop, me);
  if (want == 0 || !take (loop, want, first, count))
    return false;

  GOMP_AMP_ASSERT (*first < loop->ni && *count != 0
		   && *count <= loop->ni - *first);
  me->taken += *count;
  me->block = *count;
  gomp_aid_count rest = loop->ni - *first - *count;
  if (rest == 0)
    {
      me->state = AID_DONE;
      return true;
    }
  /* Weights are not urgent: look while the cache line is still here.  */
  if (me->state == AID_WAITING && loop->arg == 0)
    look (loop, me);
  me->rest = rest;
  /* A timed block begins now, after its removal.  */
  if (me->state != AID_BRIEF
      && (loop->timed || me->state < AID_WAITING || me->state == AID_PHASE))
    me->since = gomp_amp_clock ();
  return true;
}

/* gomp_aid_next for a loop that is shared out already.  */

static inline bool
next_planned (struct gomp_thread *thr, struct gomp_amp_loop *loop,
	      gomp_aid_count *first, gomp_aid_count *count)
{
  struct gomp_amp_thread *me = &thr->ts.amp;
  gomp_aid_count bit = 1ULL << thr->ts.team_id, share, before;
  unsigned cls = loop->classes - 1, here;

  if (me->generation == loop->generation)
    return false;
  me->generation = loop->generation;
  for (; !(gomp_aid_sums (loop)[cls] & bit); cls--)
    GOMP_AMP_ASSERT (cls != 0);
  here = current_class (thr, loop);
  if (__builtin_expect (here != cls, 0))
    {
      gomp_event_meet ();
      gomp_loop_note_class (thr->ts.team, thr->ts.team_id, here);
    }
  me->cls = cls;
  me->timed = loop->record != NULL;
  if (me->timed)
    me->since = gomp_amp_clock ();
  share = loop->share[cls];
  before = gomp_loop_count (gomp_aid_sums (loop)[cls] & (bit - 1));
  *first = gomp_aid_first (loop)[cls] + before * share;
  if (cls == loop->arg)
    {
      *first += before > loop->chunk ? before - loop->chunk : 0;
      share += before >= loop->chunk;
    }
  me->taken = *count = share;
  GOMP_AMP_ASSERT (share <= loop->ni && *first <= loop->ni - share);
  return share != 0;
}

bool
gomp_aid_next (struct gomp_thread *thr, struct gomp_amp_loop *loop,
	       gomp_aid_count *first, gomp_aid_count *count)
{
  /* The function is never called then.  With this check nothing refers to
     libatomic, which libgomp is not linked with.  */
  if (!GOMP_AID_LOCK_FREE)
    return false;
  gomp_event_loop_begin ();
  if (loop->planned)
    return next_planned (thr, loop, first, count);
  gomp_event_meet ();
  return next_shared (thr, loop, first, count);
}
