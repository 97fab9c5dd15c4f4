/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Learns on how many workers a region is run.  */

#include "fold/fold-width.h"
#include <limits.h>

/* The first runs fill caches and move ids.  */
#define FIRST_RUNS 8

/* Another width has to be better by this part.  */
#define GAIN 32

/* Runs between two trials: at least, and at most.  A trial may cost one part of
   COST of the time between.  */
#define SHORTEST_PAUSE 16
#define LONGEST_PAUSE (1 << 20)
#define COST 100

/* Of runs that are not in a trial one in so many is timed: it costs two reads
   of the clock.  */
#define TIMED 8

/* A region by the first thread alone takes WORKERS times as long at worst.  It
   is not tried where that is longer, in nanoseconds.  */
#define LONGEST_ALONE 1000000

/* The median of WIDTH's times; UINT_MAX if there are too few.  */

static unsigned
median (const struct gomp_fold_widths *widths, enum gomp_fold_width width)
{
  unsigned sorted[GOMP_FOLD_TIMES];

  if (widths->count[width] < GOMP_FOLD_TIMES)
    return UINT_MAX;
  for (int i = 0; i < GOMP_FOLD_TIMES; i++)
    {
      int at = i;

      for (; at > 0 && sorted[at - 1] > widths->ns[width][i]; at--)
	sorted[at] = sorted[at - 1];
      sorted[at] = widths->ns[width][i];
    }
  return sorted[GOMP_FOLD_TIMES / 2];
}

/* The width to try next, WIDTHS' own if none is to be tried.  */

static enum gomp_fold_width
next_trial (const struct gomp_fold_widths *widths,
	    const bool may[GOMP_FOLD_WIDTHS], unsigned workers)
{
  unsigned now = median (widths, widths->width);
  unsigned tried = widths->last;

  for (int i = 1; i < GOMP_FOLD_WIDTHS; i++)
    {
      tried = (tried + 1) % GOMP_FOLD_WIDTHS;
      if (may[tried] && tried != widths->width
	  && (tried != GOMP_FOLD_FIRST
	      || (unsigned long long) now * workers <= LONGEST_ALONE))
	return tried;
    }
  return widths->width;
}

/* No run by another width than WIDTHS' takes longer, unless its ids wait for
   each other outside of libgomp.  */

static unsigned long long
longest (const struct gomp_fold_widths *widths, unsigned workers)
{
  return 2ULL * workers * median (widths, widths->width);
}

enum gomp_fold_width
gomp_fold_choose_width (struct gomp_fold_widths *widths,
			const bool may[GOMP_FOLD_WIDTHS], unsigned workers,
			bool *timed, unsigned long long *most)
{
  *most = 0;
  if (!may[widths->width])
    *widths = (struct gomp_fold_widths) { 0 };
  if (widths->tried != widths->width && may[widths->tried])
    {
      *timed = true;
      *most = longest (widths, workers);
      return widths->tried;
    }
  *timed = (widths->skip == 0
	    || widths->count[widths->width] < GOMP_FOLD_TIMES);
  widths->skip = *timed ? TIMED - 1 : widths->skip - 1;
  return widths->width;
}

/* The trial of WIDTHS has ended.  */

static void
end_trial (struct gomp_fold_widths *widths)
{
  unsigned now = median (widths, widths->width);
  unsigned other = median (widths, widths->tried);
  unsigned long long pause;

  if (other < now - now / GAIN)
    {
      widths->width = widths->tried;
      widths->pause = SHORTEST_PAUSE;
    }
  else
    {
      pause = widths->pause * 2ULL;
      if (other > now && now != 0)
	{
	  unsigned long long cost
	    = (other - now) * (GOMP_FOLD_TIMES + 1ULL) * COST / TIMED / now;

	  if (pause < cost)
	    pause = cost;
	}
      widths->pause = pause < LONGEST_PAUSE ? pause : LONGEST_PAUSE;
    }
  widths->last = widths->tried;
  widths->tried = widths->width;
  widths->left = widths->pause;
}

/* The times of the present width differ by so much from those before that
   trials of then show nothing.  */

static bool
changed (const struct gomp_fold_widths *widths, unsigned ns)
{
  unsigned now = median (widths, widths->width);

  return now != UINT_MAX && (ns / 4 > now || ns < now / 4);
}

void
gomp_fold_note_width (struct gomp_fold_widths *widths,
		      const bool may[GOMP_FOLD_WIDTHS],
		      enum gomp_fold_width width, unsigned long long ns,
		      unsigned workers)
{
  unsigned stored = ns < UINT_MAX ? ns : UINT_MAX - 1;
  bool in_trial = widths->tried != widths->width && width == widths->tried;

  if (widths->pause == 0)
    {
      widths->pause = SHORTEST_PAUSE;
      widths->left = FIRST_RUNS;
    }
  else if (!in_trial && changed (widths, stored)
	   && widths->left > SHORTEST_PAUSE)
    widths->left = widths->pause = SHORTEST_PAUSE;
  widths->ns[width][widths->next[width]] = stored;
  widths->next[width] = (widths->next[width] + 1) % GOMP_FOLD_TIMES;
  if (widths->count[width] < GOMP_FOLD_TIMES)
    widths->count[width]++;
  widths->left--;
  if (in_trial && ns > longest (widths, workers))
    /* What it takes is known.  */
    widths->left = 0;
  if (widths->left != 0)
    return;
  if (in_trial)
    {
      end_trial (widths);
      return;
    }
  widths->tried = next_trial (widths, may, workers);
  widths->left = widths->pause;
  if (widths->tried == widths->width)
    return;
  /* Ids are moved in the first run of a trial.  */
  widths->left = GOMP_FOLD_TIMES + 1;
  widths->count[widths->tried] = widths->next[widths->tried] = 0;
}
