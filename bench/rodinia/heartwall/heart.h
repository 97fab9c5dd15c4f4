/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A synthetic ultrasound video of a beating heart, with points on the walls of its chamber.  */

#ifndef HEART_H
#define HEART_H 1

#include <stdint.h>

enum
{
  /* Rows and columns of a frame.  */
  HEART_SIDE = 256
};

/* FRAMES frames of HEART_SIDE rows and columns, by rows; to be freed.  */
uint8_t *heart_video (long frames);

/* Where point I of POINTS is in a frame: the inner wall's come first, then the outer one's.  */
void heart_point (long i, long points, long frame, double *x, double *y);

#endif
