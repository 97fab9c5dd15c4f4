/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Whether the ids of a region wait outside of libgomp, and how much time that
   costs.  Pure arithmetic, for the watching thread.

   All times are numbers of looks.  The terms:

     held      an id is held as long as it runs without a step, while another id
	       may have to wait for that.  A step is a wait of libgomp's.
     to rescue to wake the ids that have to wait meanwhile.
     lost      time in which an id was held because it waited.

   An id that sleeps in the kernel waits: its core did nothing.  An id that uses
   the CPU may compute or spin, and both look the same.  A trial tells them
   apart.  It begins when an id has been held for the region's patience:

   - a short trial rescues at once.  It remembers how long the id was held until
     its next step, in real time and in CPU time.
   - a long trial rescues only when the id was held for half as long again as in
     any short trial, in both times.  An id that computes has made its step
     before: in CPU time if it has something to do, however many other threads
     share its core, and in real time if it looks at a clock.  An id that waits
     has not, as it goes on only after the rescue.

   A long trial whose id goes on much longer after the rescue than those of
   short ones shows nothing but that some ids are longer, and counts as short.

   If the id of a long trial makes its step unaided, ids of the region compute
   for as long, and the patience is several times that.  After LONG_TRIALS
   without one the region waits.  The first trial is short, the second long, and
   the others are either at random, so that a region that computes for longer at
   each second run, or the like, does not look as if it waited.

   A region loses too much if more than a tenth of its last looks is lost, of
   10 s at most.  So the same loss counts for more in a region that has just
   begun, and one that begins to lose much is found about a second later.  */

#ifndef GOMP_AMP_FOLD_LOST_H
#define GOMP_AMP_FOLD_LOST_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* The time between two looks, in nanoseconds.  */
#define GOMP_FOLD_LOOK_NS 20000000

/* What is known of a region; all 0 at first.  */
struct gomp_fold_lost
{
  /* LOOKS: at which the region ran, in the window.  MOVED: those of them at
     which some id had made a step since the last look.  SLEPT: those at which
     an id slept while another one could run.  HELD: for how long ids were held
     that used the CPU, until they were rescued.  */
  unsigned looks, moved, slept, held;
  /* How long an id was held at most that made its step unaided.  */
  unsigned longest;
  /* Of the present series of trials: for how long an id was held at most in a
     short one, in real time, 0 if there was none, and in CPU time; how long it
     was held at most after the rescue; and the number of long ones.  */
  unsigned short_looks, short_cpu, short_after, long_trials;
  /* Its ids wait.  */
  bool waits;
};

/* An id that is held: what its thread counts its steps in; the kernel's number
   of that thread, and its CPU time in nanoseconds when that began; and for how
   long it is held, in real time and in CPU time.  */
struct gomp_fold_hold
{
  const unsigned *steps;
  int tid;
  unsigned long long since_ns;
  unsigned looks, cpu;
};

/* A pool's present trial.  */
struct gomp_fold_trial
{
  /* The region; NULL if there is no trial.  */
  struct gomp_fold_lost *of;
  struct gomp_fold_hold id;
  /* The number of its steps when the trial began, and its looks at the
     rescue.  */
  unsigned at, rescued_at;
  bool longer, rescued;
};

/* The region of LOST runs at a look.  MOVED: an id of it has made a step since
   the last look.  */
extern void gomp_fold_note_look (struct gomp_fold_lost *lost, bool moved);

/* Another look at TRIAL, which has a region: its thread's CPU time is NOW_NS.
   Learn from the trial if it has ended.  */
extern void gomp_fold_look_at_trial (struct gomp_fold_trial *trial,
				     unsigned long long now_ns);

/* ID of the region of LOST is held.  Begin a trial if that is due and if there
   is none.  UNAIDED: no id that was rescued before may still run.  Returns
   whether to rescue now.  */
extern bool gomp_fold_held (struct gomp_fold_trial *trial,
			    struct gomp_fold_lost *lost,
			    const struct gomp_fold_hold *id, bool unaided);

/* The rescue of ID, as gomp_fold_held said, woke others, or if not ANY there
   were none.  */
extern void gomp_fold_note_rescue (struct gomp_fold_trial *trial,
				   struct gomp_fold_lost *lost,
				   const struct gomp_fold_hold *id, bool any);

/* Whether the region of LOST loses too much.  */
extern bool gomp_fold_loses (const struct gomp_fold_lost *lost);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_LOST_H */
