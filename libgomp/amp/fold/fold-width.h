/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* On how many workers a region is run: all of them, those of the fastest class,
   or the first thread's alone.  Pure arithmetic.

   A region can be better on fewer cores: a short one, one whose ids each cost
   cache or work of their own, one that the memory bounds.  Nothing shows that
   but runs of each width.  So some runs are timed, and now and then, in a
   *trial*, the region runs by another width for some runs.  A trial costs what
   that width is slower by, and the pause before the next one is so long that
   trials cost 1 % of the time.  */

#ifndef GOMP_AMP_FOLD_WIDTH_H
#define GOMP_AMP_FOLD_WIDTH_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

enum gomp_fold_width
{
  GOMP_FOLD_ALL,
  GOMP_FOLD_FAST,
  GOMP_FOLD_FIRST,
  GOMP_FOLD_WIDTHS
};

/* So many runs of a width are compared: the median of their times.  */
#define GOMP_FOLD_TIMES 5

/* What is known of a region; all 0 at first.  */
struct gomp_fold_widths
{
  /* WIDTH: the best one known.  TRIED: that of the present trial, WIDTH if
     there is none.  LAST: that of the last trial.  */
  unsigned char width, tried, last;
  /* How many times of each width are stored, at most GOMP_FOLD_TIMES, and where
     the next one is stored.  */
  unsigned char count[GOMP_FOLD_WIDTHS], next[GOMP_FOLD_WIDTHS];
  /* LEFT: timed runs until the next trial, or until the present one ends.
     PAUSE: how many there were before the last one, 0 before the first one.
     SKIP: runs that are not timed.  */
  unsigned left, pause, skip;
  /* In nanoseconds.  */
  unsigned ns[GOMP_FOLD_WIDTHS][GOMP_FOLD_TIMES];
};

/* The width of the next run of a region.  MAY: by width, whether it can be
   chosen.  WORKERS: how many there are.  Sets *TIMED if the run is to be timed,
   and *MOST to how long it may take, in nanoseconds, if it is a trial, or else
   to 0.  */
extern enum gomp_fold_width
gomp_fold_choose_width (struct gomp_fold_widths *widths,
			const bool may[GOMP_FOLD_WIDTHS], unsigned workers,
			bool *timed, unsigned long long *most);

/* That run by WIDTH took NS.  WORKERS: how many there are.  */
extern void gomp_fold_note_width (struct gomp_fold_widths *widths,
				  const bool may[GOMP_FOLD_WIDTHS],
				  enum gomp_fold_width width,
				  unsigned long long ns, unsigned workers);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_WIDTH_H */
