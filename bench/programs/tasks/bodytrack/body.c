/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The body that is tracked: how it is drawn, and how well it fits a frame.  */

#include "body.h"

#include <math.h>

enum
{
  PARTS = 6,
  /* Places along a part at which a view is looked up, at each on either outline and within; and
     places on the outline of its round end.  */
  SAMPLES = 12,
  OUTLINES = 2,
  WITHIN = 3,
  ROUND = 5,
  /* A pixel at its brightest.  */
  BRIGHTEST = 255
};

/* A part starts on the trunk's axis, FROM above the hip, and goes on for LENGTH at the angle
   of JOINT (LEAN: along the trunk) off REST; it is as wide to either side as RADIUS.  Lengths are
   in tenths of an image's height.  */
struct part
{
  int joint;
  double from, length, rest, radius;
  uint8_t brightness;
};

static const struct part parts[PARTS]
  = { { LEAN, 0, 2.2, 0, 0.55, 215 },	      { LEAN, 2.2, 1.1, 0, 0.4, 235 },
      { LEFT_ARM, 2, 2, 2.3, 0.2, 200 },      { RIGHT_ARM, 2, 2, -2.3, 0.2, 200 },
      { LEFT_LEG, 0, 2.6, 2.75, 0.28, 190 },  { RIGHT_LEG, 0, 2.6, -2.75, 0.28, 190 } };

/* Points of a half circle: forward, and aside.  */
static const double round_end[ROUND][2]
  = { { 0.5, -0.866 }, { 0.866, -0.5 }, { 1, 0 }, { 0.866, 0.5 }, { 0.5, 0.866 } };

/* A part in an image: from X, Y in the direction ALONG_X, ALONG_Y.  */
struct limb
{
  double x, y, along_x, along_y, length, radius;
};

static struct limb
place_part (const struct part *p, const double *pose, long height)
{
  double unit = height / 10., lean = pose[LEAN];
  double angle = p->rest + lean + (p->joint == LEAN ? 0 : pose[p->joint]);
  return (struct limb){ .x = pose[HIP_X] + unit * p->from * sin (lean),
			.y = pose[HIP_Y] - unit * p->from * cos (lean),
			.along_x = sin (angle),
			.along_y = -cos (angle),
			.length = unit * p->length,
			.radius = unit * p->radius };
}

/* The squared distance of X, Y to the axis of L.  */
static double
off_axis (const struct limb *l, double x, double y)
{
  double along = (x - l->x) * l->along_x + (y - l->y) * l->along_y;
  along = fmin (fmax (along, 0), l->length);
  return pow (x - l->x - along * l->along_x, 2) + pow (y - l->y - along * l->along_y, 2);
}

static long
clamp (double value, long most)
{
  return (long) fmin (fmax (value, 0), most);
}

void
body_draw (const double *pose, uint8_t *pixels, long width, long height)
{
  for (int n = 0; n < PARTS; n++)
    {
      struct limb l = place_part (&parts[n], pose, height);
      double end_x = l.x + l.length * l.along_x, end_y = l.y + l.length * l.along_y;
      long top = clamp (fmin (l.y, end_y) - l.radius, height);
      long bottom = clamp (fmax (l.y, end_y) + l.radius + 1, height);
      long left = clamp (fmin (l.x, end_x) - l.radius, width);
      long right = clamp (fmax (l.x, end_x) + l.radius + 1, width);
      for (long y = top; y < bottom; y++)
	for (long x = left; x < right; x++)
	  if (off_axis (&l, x, y) <= l.radius * l.radius)
	    pixels[y * width + x] = parts[n].brightness;
    }
}

/* The square of what MAP lacks of full brightness at X, Y; outside of the image it is dark.  */
static long
lack (const uint8_t *map, const struct view *v, double x, double y)
{
  long lacking = BRIGHTEST;
  if (x >= 0 && y >= 0 && x < v->width && y < v->height)
    lacking -= map[(long) y * v->width + (long) x];
  return lacking * lacking;
}

double
body_misfit (const double *pose, const struct view *v)
{
  long edges = 0, foreground = 0;
  for (int n = 0; n < PARTS; n++)
    {
      struct limb l = place_part (&parts[n], pose, v->height);
      double across_x = l.radius * l.along_y, across_y = -l.radius * l.along_x;
      for (int s = 0; s < SAMPLES; s++)
	{
	  double along = l.length * (s + 0.5) / SAMPLES;
	  double x = l.x + along * l.along_x, y = l.y + along * l.along_y;
	  for (int o = -1; o <= 1; o += 2)
	    edges += lack (v->edges, v, x + o * across_x, y + o * across_y);
	  for (int w = -1; w <= 1; w++)
	    foreground += lack (v->foreground, v, x + 0.7 * w * across_x, y + 0.7 * w * across_y);
	}
      double x = l.x + l.length * l.along_x, y = l.y + l.length * l.along_y;
      for (int r = 0; r < ROUND; r++)
	{
	  double forward = round_end[r][0] * l.radius, aside = round_end[r][1];
	  edges += lack (v->edges, v, x + forward * l.along_x + aside * across_x,
			 y + forward * l.along_y + aside * across_y);
	}
    }
  const double whole = (double) PARTS * BRIGHTEST * BRIGHTEST;
  return edges / (whole * (OUTLINES * SAMPLES + ROUND)) + foreground / (whole * WITHIN * SAMPLES);
}
