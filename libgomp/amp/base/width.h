/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* On which cores a region or a loop is run, its *width*.  Pure arithmetic.

   Both can be better on fewer cores: if they are short, if each thread costs
   cache or work of its own, if the memory bounds them.  Nothing shows that but
   runs of each width.  So some runs are timed, and now and then, in a *trial*,
   another width is used for some runs.  A trial costs what that width is slower
   by, and the pause before the next one is so long that trials cost 1 % of the
   time.  */

#ifndef GOMP_AMP_WIDTH_H
#define GOMP_AMP_WIDTH_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

enum gomp_width
{
  /* All cores: a folded region's ids by capacity, a loop as its schedule
     does.  */
  GOMP_WIDTH_ALL,
  /* Those of the fastest class.  */
  GOMP_WIDTH_FAST,
  /* A folded region: the core of the first thread.  */
  GOMP_WIDTH_FIRST,
  /* A loop: all cores by shares that are known before it begins.  */
  GOMP_WIDTH_SHARES = GOMP_WIDTH_FIRST,
  GOMP_WIDTHS
};

/* When widths are tried.  */
struct gomp_width_rules
{
  /* Timed runs before the first trial.  */
  unsigned first_runs;
  /* Of runs that are in no trial one in so many is timed.  */
  unsigned timed;
  /* GOMP_WIDTH_FIRST is not tried if it may take longer than this, in
     nanoseconds; 0: it is.  */
  unsigned longest_first;
  /* A trial ends with a run, but the first one, that takes longer than the
     width in use by one part in so many; 0: it does not.  */
  unsigned worse;
  /* Runs may differ in what they do: nearly all of a trial have to be better
     than nearly all others.  */
  bool varies;
};

/* For folded regions, and for loops.  */
extern const struct gomp_width_rules gomp_width_of_regions, gomp_width_of_loops;

/* So many runs of a width are compared: the median of their times.  */
#define GOMP_WIDTH_TIMES 5

/* What is known of a region or a loop; all 0 at first.  */
struct gomp_widths
{
  /* WIDTH: the best one known.  TRIED: that of the present trial, WIDTH if
     there is none.  LAST: that of the last trial.  */
  unsigned char width, tried, last;
  /* How many times of each width are stored, at most GOMP_WIDTH_TIMES, and
     where the next one is stored.  */
  unsigned char count[GOMP_WIDTHS], next[GOMP_WIDTHS];
  /* LEFT: timed runs until the next trial, or until the present one ends.
     PAUSE: how many there were before the last one, 0 before the first one.
     SKIP: runs that are not timed.  */
  unsigned left, pause, skip;
  /* In nanoseconds.  */
  unsigned ns[GOMP_WIDTHS][GOMP_WIDTH_TIMES];
};

/* The width of the next run.  MAY: by width, whether it can be chosen.
   WORKERS: how many cores there are.  Sets *TIMED if the run is to be timed,
   and *MOST to how long it may take, in nanoseconds, if it is a trial, or else
   to 0.  */
extern enum gomp_width
gomp_width_choose (const struct gomp_width_rules *rules,
		   struct gomp_widths *widths, const bool may[GOMP_WIDTHS],
		   unsigned workers, bool *timed, unsigned long long *most);

/* That run by WIDTH took NS.  MAY: which ones can be tried.  */
extern void gomp_width_note (const struct gomp_width_rules *rules,
			     struct gomp_widths *widths,
			     const bool may[GOMP_WIDTHS], enum gomp_width width,
			     unsigned long long ns, unsigned workers);

#pragma GCC visibility pop

#endif /* GOMP_AMP_WIDTH_H */
