/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tracks a cell: the edges of the next frame are spread by motion gradient vector flow, and a
   contour from the cell's last place climbs onto them.

   Source: Ray and Acton, "Motion gradient vector flow: an external force for tracking rolling
   leukocytes with shape and size constrained active contours", IEEE Transactions on Medical Imaging
   23 (2004).  */

#include "leukocyte.h"

#include <math.h>

enum
{
  /* A window reaches as far around a cell as two of its radii and this.  */
  MARGIN = 4,
  MOST_SIDE = 2 * (2 * MOST_RADIUS + MARGIN) + 1,
  FLOW_STEPS = 400,
  CONTOUR_POINTS = 32,
  CONTOUR_STEPS = 60
};

/* What the flow weighs smoothness with, and when it has come to rest: at such a mean change.  */
static const double mu = 0.5, rest = 2e-4;

/* A square around a cell, by rows: the edges in it, and the flow with room for its next step.  */
struct window
{
  long side, left, top;
  double edge[MOST_SIDE * MOST_SIDE], flow[MOST_SIDE * MOST_SIDE], next[MOST_SIDE * MOST_SIDE];
};

static long
clamp (long i, long size)
{
  return i < 0 ? 0 : i >= size ? size - 1 : i;
}

/* Fill in W around C: edges are the gradient's length, the largest being 1.  */
static void
cut_out (struct window *w, const struct cell *c, const double *frame, long side)
{
  long reach = 2 * c->radius + MARGIN;
  double most = 0;
  w->side = 2 * reach + 1;
  w->left = lround (c->x) - reach;
  w->top = lround (c->y) - reach;
  for (long y = 0; y < w->side; y++)
    for (long x = 0; x < w->side; x++)
      {
	const double *row = frame + clamp (w->top + y, side) * side;
	const double *above = frame + clamp (w->top + y - 1, side) * side;
	const double *below = frame + clamp (w->top + y + 1, side) * side;
	long column = clamp (w->left + x, side);
	double dx = row[clamp (column + 1, side)] - row[clamp (column - 1, side)];
	double dy = below[column] - above[column];
	double edge = sqrt (dx * dx + dy * dy);
	w->edge[y * w->side + x] = edge;
	most = fmax (most, edge);
      }
  for (long i = 0; i < w->side * w->side; i++)
    w->flow[i] = w->edge[i] /= most;
}

/* How much of a difference flows, by its rise along the motion: all, half (across it) or none.  */
static double
step_function (double rise)
{
  return rise > 1e-4 ? 1 : rise < -1e-4 ? 0 : 0.5;
}

/* One step of the flow, whose new state is in W->next.  The mean change.  */
static double
flow_step (struct window *w, double velocity_x, double velocity_y)
{
  const double lambda = 8 * mu + 1;
  double change = 0;
  for (long y = 0; y < w->side; y++)
    for (long x = 0; x < w->side; x++)
      {
	double value = w->flow[y * w->side + x], sum = 0;
	for (long dy = -1; dy <= 1; dy++)
	  for (long dx = -1; dx <= 1; dx++)
	    {
	      long at = clamp (y + dy, w->side) * w->side + clamp (x + dx, w->side);
	      double difference = w->flow[at] - value;
	      sum += step_function (difference * (dx * velocity_x + dy * velocity_y)) * difference;
	    }
	double edge = w->edge[y * w->side + x];
	double gain = (mu * sum - edge * (value - edge)) / lambda;
	w->next[y * w->side + x] = value + gain;
	change += fabs (gain);
      }
  return change / (w->side * w->side);
}

/* Spread the edges, for as many steps as it takes.  */
static void
spread (struct window *w, double velocity_x, double velocity_y)
{
  double change = 1;
  for (int step = 0; step < FLOW_STEPS && change > rest; step++)
    {
      change = flow_step (w, velocity_x, velocity_y);
      for (long i = 0; i < w->side * w->side; i++)
	w->flow[i] = w->next[i];
    }
}

/* The flow between four points of the window; beyond its border as at it.  */
static double
flow_at (const struct window *w, double x, double y)
{
  double right = fmin (fmax (x - w->left, 0), w->side - 1.001);
  double down = fmin (fmax (y - w->top, 0), w->side - 1.001);
  long column = right, row = down;
  const double *at = w->flow + row * w->side + column;
  right -= column;
  down -= row;
  return (1 - down) * ((1 - right) * at[0] + right * at[1])
	 + down * ((1 - right) * at[w->side] + right * at[w->side + 1]);
}

/* Move a contour around the last centre up the flow, each point held to its neighbours' mean
   distance from the centre and to the cell's radius, and make its middle the new centre.  */
static void
climb (struct cell *c, const struct window *w)
{
  static const double two_pi = 6.28318530717958647692;
  static const double speed = 4, stiffness = 0.2, size_force = 0.1;
  double x = c->x, y = c->y, distance[CONTOUR_POINTS];
  for (int p = 0; p < CONTOUR_POINTS; p++)
    distance[p] = c->radius;

  for (int step = 0; step < CONTOUR_STEPS; step++)
    {
      double moved[CONTOUR_POINTS], shift_x = 0, shift_y = 0;
      for (int p = 0; p < CONTOUR_POINTS; p++)
	{
	  double along_x = cos (two_pi * p / CONTOUR_POINTS);
	  double along_y = sin (two_pi * p / CONTOUR_POINTS);
	  double px = x + distance[p] * along_x, py = y + distance[p] * along_y;
	  double slope = flow_at (w, px + along_x / 2, py + along_y / 2)
			 - flow_at (w, px - along_x / 2, py - along_y / 2);
	  double neighbours = (distance[(p + 1) % CONTOUR_POINTS]
			       + distance[(p + CONTOUR_POINTS - 1) % CONTOUR_POINTS])
			      / 2;
	  moved[p] = distance[p] + speed * slope + stiffness * (neighbours - distance[p])
		     + size_force * (c->radius - distance[p]);
	  shift_x += 2 * moved[p] * along_x / CONTOUR_POINTS;
	  shift_y += 2 * moved[p] * along_y / CONTOUR_POINTS;
	}
      x += shift_x;
      y += shift_y;
      for (int p = 0; p < CONTOUR_POINTS; p++)
	{
	  double angle = two_pi * p / CONTOUR_POINTS;
	  distance[p] = moved[p] - shift_x * cos (angle) - shift_y * sin (angle);
	}
    }
  c->velocity_x = x - c->x;
  c->velocity_y = y - c->y;
  c->x = x;
  c->y = y;
}

void
track_cell (struct cell *c, const double *frame, long side)
{
  struct window w;
  cut_out (&w, c, frame, side);
  spread (&w, c->velocity_x, c->velocity_y);
  climb (c, &w);
}
