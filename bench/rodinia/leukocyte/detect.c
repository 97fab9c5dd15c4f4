/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Detects cells: places around which the gradient across some ellipse is large and even, as
   measured by the gradient inverse coefficient of variation (GICOV).

   Source: Dong, Ray and Acton, "Intravital leukocyte detection using the gradient inverse
   coefficient of variation", IEEE Transactions on Medical Imaging 24 (2005).  */

#include "bench.h"
#include "leukocyte.h"

#include <math.h>
#include <stdlib.h>

enum
{
  RADII = 7,
  /* A circle, and ellipses along four directions.  */
  FORMS = 5,
  SHAPES = RADII * FORMS,
  /* Points of an ellipse at which the gradient is taken.  */
  POINTS = 48,
  /* A cell's score is the best one within this distance, and at least the threshold.  */
  APART = 12,
  THRESHOLD = 14,
  /* Points nearer to the border have no score: no ellipse around them leaves the frame.  */
  BORDER = MOST_RADIUS + 4
};

/* Points of an ellipse, relative to its centre, and the directions to its inside there.  */
struct shape
{
  double radius;
  int dx[POINTS], dy[POINTS];
  double inwards_x[POINTS], inwards_y[POINTS];
};

static void
make_shapes (struct shape shapes[SHAPES])
{
  static const double pi = 3.14159265358979323846;
  for (int s = 0; s < SHAPES; s++)
    {
      struct shape *shape = &shapes[s];
      int form = s % FORMS;
      double stretch = form == 0 ? 1 : 1.15, angle = form * pi / 4;
      shape->radius
	= LEAST_RADIUS + s / FORMS * (double) (MOST_RADIUS - LEAST_RADIUS) / (RADII - 1);
      for (int p = 0; p < POINTS; p++)
	{
	  double t = 2 * pi * p / POINTS;
	  double along = shape->radius * stretch * cos (t);
	  double across = shape->radius / stretch * sin (t);
	  double normal_along = -cos (t) / stretch, normal_across = -sin (t) * stretch;
	  double length = hypot (normal_along, normal_across);
	  shape->dx[p] = lround (along * cos (angle) - across * sin (angle));
	  shape->dy[p] = lround (along * sin (angle) + across * cos (angle));
	  shape->inwards_x[p] = (normal_along * cos (angle) - normal_across * sin (angle)) / length;
	  shape->inwards_y[p] = (normal_along * sin (angle) + normal_across * cos (angle)) / length;
	}
    }
}

void
detect_set_up (struct detection *d, long side)
{
  d->side = side;
  d->gradient_x = bench_allocate (side * side, sizeof (double));
  d->gradient_y = bench_allocate (side * side, sizeof (double));
  d->score = bench_allocate (side * side, sizeof (double));
  d->best = bench_allocate (side * side, sizeof (double));
}

/* The best score of a shape around AT: the mean gradient to the inside over its standard error.
   The shape's radius goes to *RADIUS.  */
static double
score_at (const struct detection *d, const struct shape *shapes, long at, double *radius)
{
  double best = 0;
  for (int s = 0; s < SHAPES; s++)
    {
      const struct shape *shape = &shapes[s];
      double sum = 0, squares = 0;
      for (int p = 0; p < POINTS; p++)
	{
	  long point = at + shape->dy[p] * d->side + shape->dx[p];
	  double inwards = d->gradient_x[point] * shape->inwards_x[p]
			   + d->gradient_y[point] * shape->inwards_y[p];
	  sum += inwards;
	  squares += inwards * inwards;
	}
      double mean = sum / POINTS;
      double variance = (squares - sum * mean) / (POINTS - 1);
      double score = mean / sqrt (variance / POINTS);
      if (score > best)
	{
	  best = score;
	  *radius = shape->radius;
	}
    }
  return best;
}

static void
find_gradient (struct detection *d, const double *frame)
{
  long side = d->side;
#pragma omp parallel for
  for (long y = 1; y < side - 1; y++)
    for (long at = y * side + 1; at < (y + 1) * side - 1; at++)
      {
	d->gradient_x[at] = (frame[at + 1] - frame[at - 1]) / 2;
	d->gradient_y[at] = (frame[at + side] - frame[at - side]) / 2;
      }
}

/* The best score within APART of a point.  */
static double
best_around (const struct detection *d, long y, long x)
{
  double best = 0;
  for (long dy = -APART; dy <= APART; dy++)
    for (long dx = -APART; dx <= APART; dx++)
      if (dx * dx + dy * dy <= APART * APART && y + dy >= 0 && y + dy < d->side && x + dx >= 0
	  && x + dx < d->side)
	{
	  double score = d->score[(y + dy) * d->side + x + dx];
	  best = score > best ? score : best;
	}
  return best;
}

void
detect_score (struct detection *d, const double *frame)
{
  long side = d->side;
  struct shape shapes[SHAPES];
  make_shapes (shapes);
  find_gradient (d, frame);
#pragma omp parallel for collapse(2)
  for (long y = BORDER; y < side - BORDER; y++)
    for (long x = BORDER; x < side - BORDER; x++)
      {
	double radius;
	d->score[y * side + x] = score_at (d, shapes, y * side + x, &radius);
      }
#pragma omp parallel for collapse(2)
  for (long y = 0; y < side; y++)
    for (long x = 0; x < side; x++)
      d->best[y * side + x] = best_around (d, y, x);
}

long
detect_find (const struct detection *d, struct cell *cells, long most)
{
  struct shape shapes[SHAPES];
  long found = 0;
  make_shapes (shapes);
  for (long at = 0; at < d->side * d->side; at++)
    if (d->score[at] >= THRESHOLD && d->score[at] == d->best[at])
      {
	if (found < most)
	  {
	    cells[found] = (struct cell){ .x = at % d->side, .y = at / d->side };
	    score_at (d, shapes, at, &cells[found].radius);
	  }
	found++;
      }
  return found;
}

/* The same as score_at, with the variance from the differences to the mean.  */
static double
reference_score (const struct detection *d, const struct shape *shapes, long at)
{
  double best = 0;
  for (int s = 0; s < SHAPES; s++)
    {
      double inwards[POINTS], mean = 0, deviation = 0;
      for (int p = 0; p < POINTS; p++)
	{
	  long point = at + shapes[s].dy[p] * d->side + shapes[s].dx[p];
	  inwards[p] = d->gradient_x[point] * shapes[s].inwards_x[p]
		       + d->gradient_y[point] * shapes[s].inwards_y[p];
	  mean += inwards[p] / POINTS;
	}
      for (int p = 0; p < POINTS; p++)
	deviation += (inwards[p] - mean) * (inwards[p] - mean);
      best = fmax (best, mean / sqrt (deviation / (POINTS - 1) / POINTS));
    }
  return best;
}

int
detect_verify (const struct detection *d, const double *frame)
{
  long side = d->side;
  struct shape shapes[SHAPES];
  make_shapes (shapes);
  double *best = bench_allocate (side * side, sizeof *best);
  int good = 1;
  for (long at = 0; at < side * side; at++)
    {
      long y = at / side, x = at % side;
      int within = y > 0 && y < side - 1 && x > 0 && x < side - 1;
      double gradient_x = within ? 0.5 * (frame[at + 1] - frame[at - 1]) : 0;
      double gradient_y = within ? 0.5 * (frame[at + side] - frame[at - side]) : 0;
      good = good && d->gradient_x[at] == gradient_x && d->gradient_y[at] == gradient_y;
      int scored = y >= BORDER && y < side - BORDER && x >= BORDER && x < side - BORDER;
      double score = scored ? reference_score (d, shapes, at) : 0;
      good = good && fabs (d->score[at] - score) <= 1e-9 * (1 + score);
      /* Each score to all places it may be the best one of.  */
      for (long row = y - APART; scored && row <= y + APART; row++)
	for (long column = x - APART; column <= x + APART; column++)
	  if ((row - y) * (row - y) + (column - x) * (column - x) <= APART * APART)
	    best[row * side + column] = fmax (best[row * side + column], score);
    }
  for (long at = 0; at < side * side; at++)
    good = good && fabs (d->best[at] - best[at]) <= 1e-9 * (1 + best[at]);
  free (best);
  return good;
}
