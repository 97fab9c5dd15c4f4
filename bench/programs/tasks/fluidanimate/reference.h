/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fluid without tiles, serially.  */

#ifndef REFERENCE_H
#define REFERENCE_H 1

#include "sph.h"

/* Let COUNT particles in a box of SIZE cells move for STEPS steps; their densities in the last step
   go to DENSITY.  Returns whether physics holds: the densities of the first step are those that
   sums over all particles give, and in no step do the particles push all of them together
   anywhere.  */
int reference_run (const long *size, struct particle *particle, double *density, long count,
		   long steps);

#endif
