/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Smoothed-particle hydrodynamics: the particles, what two of them are to each other, and how one
   moves.

   Source: Mueller, Charypar, Gross, "Particle-Based Fluid Simulation for Interactive Applications",
   SCA 2003: its kernels (equations 20, 21 and 22) and forces (10 and 14).  Forces are here divided
   by both densities, as the momentum equation has it, so that what two particles do to each other
   is opposite and equal.

   The units: of length the reach of the kernels, which is a cell's edge; of time a step; the
   density of the fluid at rest is one.  */

#ifndef SPH_H
#define SPH_H 1

#include <math.h>

enum
{
  DIMENSIONS = 3
};

/* The dimensions by name: cells of a column are stacked along Y, gravity is along it.  */
enum
{
  X,
  Y,
  Z
};

struct particle
{
  double position[DIMENSIONS], velocity[DIMENSIONS];
  long number;
};

/* Particles at rest are this far from each other; each is as heavy as such a cube of fluid.  */
static const double spacing = 0.5, mass = 0.125;

static inline double
squared_distance (const struct particle *p, const struct particle *q)
{
  double squared = 0;
  for (int k = 0; k < DIMENSIONS; k++)
    squared += (p->position[k] - q->position[k]) * (p->position[k] - q->position[k]);
  return squared;
}

/* What a neighbour at a squared distance of less than one adds to a particle's density, but for
   sph_density_factor.  */
static inline double
sph_nearness (double squared)
{
  return (1 - squared) * (1 - squared) * (1 - squared);
}

static const double sph_density_factor = mass * 315 / (64 * M_PI);

/* Add to ACCELERATION what Q, of density Q_DENSITY, does to P.  */
static inline void
sph_push (const struct particle *p, double p_density, const struct particle *q, double q_density,
	  double *acceleration)
{
  /* Pressure by the squared velocity of sound, and viscosity.  */
  static const double stiffness = 0.3, viscosity = 0.02, kernel_factor = 45 / M_PI;
  double squared = squared_distance (p, q);
  /* Two at the same place have no direction to push each other in; so has a particle itself.  */
  if (squared >= 1 || squared == 0)
    return;

  double distance = sqrt (squared);
  double gap = 1 - distance;
  double common = mass * kernel_factor * gap / (p_density * q_density);
  /* Nothing holds together fluid that is thinner than at rest.  */
  double pressure = stiffness * (fmax (p_density - 1, 0) + fmax (q_density - 1, 0)) / 2;
  double outward = common * gap * pressure / distance;
  double along = common * viscosity;
  for (int k = 0; k < DIMENSIONS; k++)
    acceleration[k] += outward * (p->position[k] - q->position[k])
		       + along * (q->velocity[k] - p->velocity[k]);
}

/* Let P, on which its neighbours act by ACCELERATION, move for a step in a box of SIZE.  */
static inline void
sph_advance (struct particle *p, const double *acceleration, const long *size)
{
  /* A particle that moves by less than a cell comes from a neighbouring one.  It bounces off walls
     a little inside of the box, so that its cell is one of the box's.  */
  static const double gravity = 0.003, fastest = 0.9, wall = 1 / 64., bounce = 0.3;
  for (int k = 0; k < DIMENSIONS; k++)
    {
      double velocity = p->velocity[k] + acceleration[k] - (k == Y ? gravity : 0);
      velocity = fmin (fmax (velocity, -fastest), fastest);
      double position = p->position[k] + velocity, far = size[k] - wall;
      if (position < wall || position > far)
	{
	  position = 2 * (position < wall ? wall : far) - position;
	  velocity *= -bounce;
	}
      p->position[k] = position;
      p->velocity[k] = velocity;
    }
}

#endif
