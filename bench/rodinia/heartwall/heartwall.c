/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Heartwall after Rodinia's: follows points of a heart's walls through an ultrasound video, each by
   the place that correlates best with its template; one loop of few and long iterations a frame.

   Sources: Szafaryn et al., "Experiences Accelerating MATLAB Systems Biology Applications", BIC
   2009; the shape of the program: Che et al., "Rodinia", IISWC 2009.

   Verified by a serial routine that correlates place by place, in every frame: all places exactly,
   correlations to 1e-9; and by the places being near the walls.  */

#include "bench.h"
#include "heart.h"

#include <math.h>
#include <stdlib.h>

enum
{
  /* How far a template reaches, and how far from its last place a point is searched.  */
  REACH = 12,
  SEARCH = 8,
  TEMPLATE = 2 * REACH + 1,
  OFFSETS = 2 * SEARCH + 1,
  WINDOW = TEMPLATE + OFFSETS - 1,
  /* How far, in pixels, a point may be found from where it is.  */
  NEAR = 3
};

/* How much of a template remains as it is in a frame.  */
static const double persistence = 0.8;

/* A point of a wall: what it looks like, where it was last seen, and how well it matched there.  */
struct point
{
  double template[TEMPLATE][TEMPLATE];
  long x, y;
  double correlation;
};

/* What is kept of a point in a frame.  */
struct place
{
  long x, y;
  double correlation;
};

static double
pixel (const uint8_t *frame, long x, long y)
{
  long column = x < 0 ? 0 : x >= HEART_SIDE ? HEART_SIDE - 1 : x;
  long row = y < 0 ? 0 : y >= HEART_SIDE ? HEART_SIDE - 1 : y;
  return frame[row * HEART_SIDE + column];
}

/* Blend what is at P's place into its template, of which REMAINS, a share, stays.  */
static void
learn (struct point *p, const uint8_t *frame, double remains)
{
  for (long y = 0; y < TEMPLATE; y++)
    for (long x = 0; x < TEMPLATE; x++)
      p->template[y][x] = remains * p->template[y][x]
			  + (1 - remains) * pixel (frame, p->x + x - REACH, p->y + y - REACH);
}

/* Make DEVIATION the template's differences from its mean.  The sum of their squares.  */
static double
deviate (const struct point *p, double deviation[TEMPLATE][TEMPLATE])
{
  double sum = 0, squares = 0;
  for (long y = 0; y < TEMPLATE; y++)
    for (long x = 0; x < TEMPLATE; x++)
      sum += p->template[y][x];
  for (long y = 0; y < TEMPLATE; y++)
    for (long x = 0; x < TEMPLATE; x++)
      {
	deviation[y][x] = p->template[y][x] - sum / (TEMPLATE * TEMPLATE);
	squares += deviation[y][x] * deviation[y][x];
      }
  return squares;
}

/* The sum over a template's size from ROW, COLUMN on, of what CUMULATED has the sums of, up to and
   without each place.  */
static double
sum_of (double cumulated[WINDOW + 1][WINDOW + 1], long row, long column)
{
  return cumulated[row + TEMPLATE][column + TEMPLATE] - cumulated[row][column + TEMPLATE]
	 - cumulated[row + TEMPLATE][column] + cumulated[row][column];
}

/* Find P in FRAME: the place around its last one where the normalised correlation is largest.  */
static void
find (struct point *p, const uint8_t *frame)
{
  double window[WINDOW][WINDOW];
  double sums[WINDOW + 1][WINDOW + 1] = { 0 }, squares[WINDOW + 1][WINDOW + 1] = { 0 };
  for (long y = 0; y < WINDOW; y++)
    for (long x = 0; x < WINDOW; x++)
      {
	double value = pixel (frame, p->x + x - REACH - SEARCH, p->y + y - REACH - SEARCH);
	window[y][x] = value;
	sums[y + 1][x + 1] = value + sums[y][x + 1] + sums[y + 1][x] - sums[y][x];
	squares[y + 1][x + 1]
	  = value * value + squares[y][x + 1] + squares[y + 1][x] - squares[y][x];
      }

  double deviation[TEMPLATE][TEMPLATE];
  double template_squares = deviate (p, deviation), best = -INFINITY;
  long best_x = 0, best_y = 0;
  for (long dy = 0; dy < OFFSETS; dy++)
    {
      double product[OFFSETS] = { 0 };
      for (long y = 0; y < TEMPLATE; y++)
	for (long x = 0; x < TEMPLATE; x++)
	  for (long dx = 0; dx < OFFSETS; dx++)
	    product[dx] += deviation[y][x] * window[dy + y][dx + x];
      for (long dx = 0; dx < OFFSETS; dx++)
	{
	  double sum = sum_of (sums, dy, dx);
	  double variation = sum_of (squares, dy, dx) - sum * sum / (TEMPLATE * TEMPLATE);
	  double correlation = product[dx] / sqrt (variation * template_squares);
	  if (correlation > best)
	    {
	      best = correlation;
	      best_x = dx;
	      best_y = dy;
	    }
	}
    }
  p->x += best_x - SEARCH;
  p->y += best_y - SEARCH;
  p->correlation = best;
}

/* Follow all points to FRAME, and note where they are.  */
static void
follow (struct point *points, long count, const uint8_t *frame, struct place *places)
{
#pragma omp parallel for
  for (long i = 0; i < count; i++)
    {
      find (&points[i], frame);
      learn (&points[i], frame, persistence);
      places[i] = (struct place){ points[i].x, points[i].y, points[i].correlation };
    }
}

/* How FRAME around LEFT, TOP correlates with the template of which DEVIATION are the differences
   from its mean.  */
static double
reference_correlation (double deviation[TEMPLATE][TEMPLATE], double template_squares,
		       const uint8_t *frame, long left, long top)
{
  long sum = 0, squares = 0;
  double product = 0;
  for (long y = 0; y < TEMPLATE; y++)
    {
      double product_of_row = 0;
      for (long x = 0; x < TEMPLATE; x++)
	{
	  int value = pixel (frame, left + x, top + y);
	  sum += value;
	  squares += value * value;
	  product_of_row += deviation[y][x] * value;
	}
      product += product_of_row;
    }
  double variation = squares - (double) sum * sum / (TEMPLATE * TEMPLATE);
  return product / sqrt (template_squares * variation);
}

/* The same as find, each place by itself.  */
static void
reference_find (struct point *p, const uint8_t *frame)
{
  double deviation[TEMPLATE][TEMPLATE];
  double template_squares = deviate (p, deviation);
  long x = p->x, y = p->y;
  p->correlation = -INFINITY;
  for (long i = 0; i < OFFSETS * OFFSETS; i++)
    {
      long dx = i % OFFSETS - SEARCH, dy = i / OFFSETS - SEARCH;
      double correlation = reference_correlation (deviation, template_squares, frame,
						  x + dx - REACH, y + dy - REACH);
      if (correlation > p->correlation)
	{
	  p->x = x + dx;
	  p->y = y + dy;
	  p->correlation = correlation;
	}
    }
}

/* Put point I where it is in the first frame, VIDEO.  */
static void
begin (struct point *p, long i, long count, const uint8_t *video)
{
  double x, y;
  heart_point (i, count, 0, &x, &y);
  p->x = lround (x);
  p->y = lround (y);
  learn (p, video, 0);
}

/* Whether PLACES, by frames, are those that serial work finds, and near the truth.  */
static int
verify (const struct place *places, long count, const uint8_t *video, long frames)
{
  struct point *p = bench_allocate (1, sizeof *p);
  int good = 1;
  for (long i = 0; i < count; i++)
    {
      begin (p, i, count, video);
      for (long frame = 1; frame < frames && good; frame++)
	{
	  const uint8_t *pixels = video + frame * HEART_SIDE * HEART_SIDE;
	  const struct place *place = &places[frame * count + i];
	  double x, y;
	  reference_find (p, pixels);
	  learn (p, pixels, persistence);
	  heart_point (i, count, frame, &x, &y);
	  good = place->x == p->x && place->y == p->y
		 && fabs (place->correlation - p->correlation) <= 1e-9
		 && hypot (place->x - x, place->y - y) <= NEAR;
	}
    }
  free (p);
  return good;
}

int
main (int argc, char **argv)
{
  long count = 51, frames = 80, repeats = 1;
  bench_options (argc, argv, "Follow the walls of a heart through an ultrasound video.",
      { "points", &count, 3, 100000, "points of the walls", NULL },
      { "frames", &frames, 2, 10000, "frames of the video", NULL },
      { "repeats", &repeats, 1, 100000, "times that the video is gone through", NULL });

  uint8_t *video = heart_video (frames);
  struct point *points = bench_allocate (count, sizeof *points);
  for (long r = 0; r < repeats; r++)
    {
      struct place *places = bench_allocate (frames * count, sizeof *places);
      for (long i = 0; i < count; i++)
	begin (&points[i], i, count, video);
      bench_start ();
      for (long frame = 1; frame < frames; frame++)
	follow (points, count, video + frame * HEART_SIDE * HEART_SIDE, places + frame * count);
      bench_stop ();
      bench_verify (verify (places, count, video, frames));
      free (places);
    }
  return bench_result (NULL);
}
