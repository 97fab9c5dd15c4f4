/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Learns on which cores a region or a loop is run.  */

#include "base/width.h"
#include <limits.h>

/* The first runs fill caches and move ids.  A region by the first thread alone
   takes as many times as long as there are workers, at worst.  */
const struct gomp_width_rules gomp_width_of_regions
  = { .first_runs = 8, .timed = 8, .longest_first = 1000000, .varies = true };

/* A program runs a short loop some hundred times: two runs by a width that is a
   third slower are 1 % of 80.  */
const struct gomp_width_rules gomp_width_of_loops
  = { .first_runs = 15, .timed = 16, .worse = 8 };

/* Another width has to be better by this part.  */
#define GAIN 32

/* Runs between two trials: at least, and at most.  A trial may cost one part of
   COST of the time between.  */
#define SHORTEST_PAUSE 16
#define LONGEST_PAUSE (1 << 20)
#define COST 100

/* The N-th of WIDTH's times, from 0 on, the shortest first; UINT_MAX if there
   are too few.  */

static unsigned
nth (const struct gomp_widths *widths, enum gomp_width width, int n)
{
  unsigned sorted[GOMP_WIDTH_TIMES];

  if (widths->count[width] < GOMP_WIDTH_TIMES)
    return UINT_MAX;
  for (int i = 0; i < GOMP_WIDTH_TIMES; i++)
    {
      int at = i;

      for (; at > 0 && sorted[at - 1] > widths->ns[width][i]; at--)
	sorted[at] = sorted[at - 1];
      sorted[at] = widths->ns[width][i];
    }
  return sorted[n];
}

static unsigned
median (const struct gomp_widths *widths, enum gomp_width width)
{
  return nth (widths, width, GOMP_WIDTH_TIMES / 2);
}

/* Whether WIDTHS' trial shows that its width is better: of what does more in
   one run than in another, as one that goes through a graph, the runs of a
   trial may happen to do less.  */

static bool
better (const struct gomp_width_rules *rules, const struct gomp_widths *widths)
{
  unsigned now = median (widths, widths->width);

  return (median (widths, widths->tried) < now - now / GAIN
	  && (!rules->varies
	      || (nth (widths, widths->tried, GOMP_WIDTH_TIMES - 2)
		  < nth (widths, widths->width, 1))));
}

/* The width to try next, WIDTHS' own if none is to be tried: that of the last
   trial again if there is no other one.  */

static enum gomp_width
next_trial (const struct gomp_width_rules *rules,
	    const struct gomp_widths *widths, const bool may[GOMP_WIDTHS],
	    unsigned workers)
{
  unsigned now = median (widths, widths->width);
  unsigned tried = widths->last;

  for (int i = 0; i < GOMP_WIDTHS; i++)
    {
      tried = (tried + 1) % GOMP_WIDTHS;
      if (may[tried] && tried != widths->width
	  && (tried != GOMP_WIDTH_FIRST || rules->longest_first == 0
	      || ((unsigned long long) now * workers
		  <= rules->longest_first)))
	return tried;
    }
  return widths->width;
}

/* No run by another width than WIDTHS' takes longer, unless its ids wait for
   each other outside of libgomp.  */

static unsigned long long
longest (const struct gomp_widths *widths, unsigned workers)
{
  return 2ULL * workers * median (widths, widths->width);
}

enum gomp_width
gomp_width_choose (const struct gomp_width_rules *rules,
		   struct gomp_widths *widths, const bool may[GOMP_WIDTHS],
		   unsigned workers, bool *timed, unsigned long long *most)
{
  *most = 0;
  if (!may[widths->width])
    *widths = (struct gomp_widths) { 0 };
  if (widths->tried != widths->width && may[widths->tried])
    {
      *timed = true;
      *most = longest (widths, workers);
      return widths->tried;
    }
  *timed = (widths->skip == 0
	    || widths->count[widths->width] < GOMP_WIDTH_TIMES);
  if (!*timed)
    widths->skip--;
  else
    /* Not at equal distances, by which it may be always the same one of several
       kinds of runs.  */
    widths->skip = (rules->timed - 1
		    - (rules->varies ? widths->next[widths->width] : 0));
  return widths->width;
}

/* The trial of WIDTHS has ended after RUNS runs of it, of which OTHER is the
   time.  */

static void
end_trial (const struct gomp_width_rules *rules, struct gomp_widths *widths,
	   unsigned other, unsigned runs)
{
  unsigned now = median (widths, widths->width);
  unsigned long long pause;

  if (better (rules, widths))
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
	    = (unsigned long long) (other - now) * runs * COST / rules->timed
	      / now;

	  if (pause < cost)
	    pause = cost;
	}
      widths->pause = pause < LONGEST_PAUSE ? pause : LONGEST_PAUSE;
    }
  widths->last = widths->tried;
  widths->tried = widths->width;
  widths->left = widths->pause;
}

/* A run of WIDTHS' trial took NS.  Whether that shows already that its width is
   no better.  The first run moves ids and data.  */

static bool
shown_worse (const struct gomp_width_rules *rules,
	     const struct gomp_widths *widths, unsigned ns)
{
  unsigned now = median (widths, widths->width);

  return (rules->worse != 0 && widths->left < GOMP_WIDTH_TIMES
	  && now != UINT_MAX && ns > now && ns - now > now / rules->worse);
}

/* The times of the present width differ by so much from those before that
   trials of then show nothing.  */

static bool
changed (const struct gomp_widths *widths, unsigned ns)
{
  unsigned now = median (widths, widths->width);

  return now != UINT_MAX && (ns / 4 > now || ns < now / 4);
}

/* The pause of WIDTHS is over, and a trial may begin.  */

static void
begin_trial (const struct gomp_width_rules *rules, struct gomp_widths *widths,
	     const bool may[GOMP_WIDTHS], unsigned workers)
{
  widths->tried = next_trial (rules, widths, may, workers);
  widths->left = widths->pause;
  if (widths->tried == widths->width)
    return;
  /* Ids are moved in the first run of a trial.  */
  widths->left = GOMP_WIDTH_TIMES + 1;
  widths->count[widths->tried] = widths->next[widths->tried] = 0;
}

void
gomp_width_note (const struct gomp_width_rules *rules,
		 struct gomp_widths *widths, const bool may[GOMP_WIDTHS],
		 enum gomp_width width, unsigned long long ns,
		 unsigned workers)
{
  unsigned stored = ns < UINT_MAX ? ns : UINT_MAX - 1;
  bool in_trial = widths->tried != widths->width && width == widths->tried;

  if (widths->pause == 0)
    {
      widths->pause = SHORTEST_PAUSE;
      widths->left = rules->first_runs;
    }
  else if (!in_trial && changed (widths, stored)
	   && widths->left > SHORTEST_PAUSE)
    widths->left = widths->pause = SHORTEST_PAUSE;
  widths->ns[width][widths->next[width]] = stored;
  widths->next[width] = (widths->next[width] + 1) % GOMP_WIDTH_TIMES;
  if (widths->count[width] < GOMP_WIDTH_TIMES)
    widths->count[width]++;
  widths->left--;
  if (in_trial && shown_worse (rules, widths, stored))
    end_trial (rules, widths, stored, GOMP_WIDTH_TIMES + 1 - widths->left);
  else if (in_trial
	   && (widths->left == 0 || ns > longest (widths, workers)))
    /* What it takes is known.  */
    end_trial (rules, widths, median (widths, widths->tried),
	       GOMP_WIDTH_TIMES + 1);
  else if (widths->left == 0)
    begin_trial (rules, widths, may, workers);
}
