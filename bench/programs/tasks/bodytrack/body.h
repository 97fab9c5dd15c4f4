/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The body that is tracked: in a plane, a trunk with a head, two arms and two legs, each of them a
   straight part with round ends.  */

#ifndef BODY_H
#define BODY_H 1

#include "image.h"

/* A pose: where the hip is, in pixels, and angles in radians: of the trunk to the upright, and of
   each limb to the trunk.  */
enum
{
  HIP_X,
  HIP_Y,
  LEAN,
  LEFT_ARM,
  RIGHT_ARM,
  LEFT_LEG,
  RIGHT_LEG,
  JOINTS
};

/* Draw a body into PIXELS, WIDTH times HEIGHT of them.  */
void body_draw (const double *pose, uint8_t *pixels, long width, long height);

/* How badly the body fits what was seen in a frame: from 0 to 2, how far the mean squares of the
   edges along its outlines and of the foreground within are from full.  */
double body_misfit (const double *pose, const struct view *v);

#endif
