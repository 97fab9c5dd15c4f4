/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An annealed particle filter.  Particles are poses.  In each frame they go through layers: they
   are scattered, less in every layer; each is weighed by how well it fits the frame, the more
   sharply the later the layer; and as many are drawn by their weights.

   Source: Deutscher, Blake, Reid, "Articulated Body Motion Capture by Annealed Particle
   Filtering", CVPR 2000, with a fixed schedule for what they call the rate of annealing, and a
   constant velocity as the prediction.

   All sums are by the particles' numbers, and every random number has a place of its own.  */

#ifndef FILTER_H
#define FILTER_H 1

#include "body.h"

#include "bench.h"

enum
{
  NOISE_SEED = 2000,
  DRAW_SEED
};

typedef double pose[JOINTS];

/* PARTICLES poses and their misfits; SUM are those of weights up to and with each; DRAWN becomes
   the next PARTICLE.  ESTIMATE is the mean pose found in each frame.  */
struct filter
{
  long particles, layers;
  pose *particle, *drawn, *estimate;
  double *misfit, *sum;
};

/* A number of mean 0 and deviation 1, and almost normally distributed.  */
static inline double
noise (uint64_t place)
{
  uint64_t bits = bench_random (NOISE_SEED, place);
  long sum = 0;
  for (int k = 0; k < 4; k++)
    sum += bits >> (16 * k) & 0xffff;
  return (sum / 65536. - 2) * 1.7320508;
}

/* What a particle's joint is scattered by in an image of HEIGHT.  */
static inline double
scatter (long height, int joint, long layer)
{
  double first = joint == HIP_X || joint == HIP_Y ? 0.008 * height : joint == LEAN ? 0.03 : 0.08;
  return first / (1L << layer);
}

/* What a misfit in a layer is taken times, before its negative is an exponent.  */
static inline double
sharpness (long layer)
{
  return 20L << layer;
}

/* A filter for FRAMES frames that starts with POSE.  */
void filter_allocate (struct filter *f, long particles, long layers, long frames,
		      const double *start);

/* At the start of FRAME move all particles on by as much as the last two estimates differ.  */
void filter_predict (struct filter *f, long frame);

/* Scatter and weigh particles FIRST up to LAST - 1 in LAYER of FRAME, of which V was seen.  */
void filter_weigh (struct filter *f, const struct view *v, long frame, long layer, long first,
		   long last);

/* Draw particles by their weights, and in the last layer estimate before.  */
void filter_draw (struct filter *f, long frame, long layer);

#endif
