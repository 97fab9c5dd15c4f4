/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tracking in plain words.  */

#ifndef REFERENCE_H
#define REFERENCE_H 1

#include "filter.h"

/* Store the estimates for FRAMES images in ESTIMATE, of which the first one is from START on.  */
void reference_track (const uint8_t *frame, const uint8_t *background, long width, long height,
		      long frames, long particles, long layers, const double *start,
		      pose *estimate);

#endif
