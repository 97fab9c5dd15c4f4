/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The solver by cells: loops over all cells, of which that for the outflow reads a cell's four
   neighbours, wherever they are in memory.

   Source: Corrigan, Camelli, Loehner, Wallin, "Running Unstructured Grid Based CFD Solvers on
   Modern Graphics Hardware", AIAA 2009-4001: fluxes averaged across faces, with dissipation,
   local time steps, and three stages whose fractions of the step are 1/3, 1/2 and 1.  */

#include "flow.h"

#include "bench.h"

#include <math.h>
#include <string.h>

static const double heat_ratio = 1.4, mach = 1.2;

const double courant = 0.5;

void
flow_allocate (struct flow *f, const struct mesh *mesh)
{
  f->mesh = mesh;
  f->now = bench_allocate (mesh->cells, sizeof *f->now);
  f->old = bench_allocate (mesh->cells, sizeof *f->old);
  f->outflow = bench_allocate (mesh->cells, sizeof *f->outflow);
  f->factor = bench_allocate (mesh->cells, sizeof *f->factor);
}

void
flow_begin (struct flow *f)
{
  /* Of density and pressure 1, along the first axis.  */
  double speed = mach * sqrt (heat_ratio);
  memset (f->far, 0, sizeof f->far);
  f->far[DENSITY] = 1;
  f->far[MOMENTUM] = speed;
  f->far[ENERGY] = 1 / (heat_ratio - 1) + speed * speed / 2;
  for (long i = 0; i < f->mesh->cells; i++)
    memcpy (f->now[i], f->far, sizeof f->far);
}

static double
squared_momentum (const state u)
{
  return u[MOMENTUM] * u[MOMENTUM] + u[MOMENTUM + 1] * u[MOMENTUM + 1]
	 + u[MOMENTUM + 2] * u[MOMENTUM + 2];
}

double
flow_pressure (const state u)
{
  return (heat_ratio - 1) * (u[ENERGY] - squared_momentum (u) / u[DENSITY] / 2);
}

double
flow_wave_speed (const state u)
{
  return sqrt (squared_momentum (u)) / u[DENSITY]
	 + sqrt (heat_ratio * flow_pressure (u) / u[DENSITY]);
}

/* Add to SUM half of what flows through a face with this NORMAL at state U.  */
static void
add_half_flux (const state u, double pressure, const double normal[AXES], state sum)
{
  double through = 0;
  for (int k = 0; k < AXES; k++)
    through += u[MOMENTUM + k] * normal[k];
  through /= 2 * u[DENSITY];
  for (int v = 0; v < VARIABLES; v++)
    sum[v] += u[v] * through;
  sum[ENERGY] += pressure * through;
  for (int k = 0; k < AXES; k++)
    sum[MOMENTUM + k] += pressure * normal[k] / 2;
}

static double
area (const double normal[AXES])
{
  return sqrt (normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
}

/* Keep the states at the beginning of a step, and choose each cell's own length of it, with its
   volume divided out: the Courant number over the sum of its faces' areas times its wave speed.  */
static void
begin_step (struct flow *f)
{
  const struct mesh *m = f->mesh;
#pragma omp parallel for
  for (long i = 0; i < m->cells; i++)
    {
      double surface = 0;
      for (int which = 0; which < FACES; which++)
	surface += area (m->normal[i][which]);
      memcpy (f->old[i], f->now[i], sizeof f->old[i]);
      f->factor[i] = courant / (surface * flow_wave_speed (f->now[i]));
    }
}

static void
compute_outflow (struct flow *f)
{
  const struct mesh *m = f->mesh;
#pragma omp parallel for
  for (long i = 0; i < m->cells; i++)
    {
      const double *own = f->now[i];
      double pressure = flow_pressure (own), wave_speed = flow_wave_speed (own);
      state sum = { 0 };
      for (int which = 0; which < FACES; which++)
	{
	  const double *normal = m->normal[i][which];
	  int beyond = m->neighbour[i][which];
	  if (beyond == WALL)
	    {
	      for (int k = 0; k < AXES; k++)
		sum[MOMENTUM + k] += pressure * normal[k];
	      continue;
	    }
	  const double *other = beyond == FAR ? f->far : f->now[beyond];
	  double dissipation = area (normal) * (wave_speed + flow_wave_speed (other)) / 4;
	  add_half_flux (own, pressure, normal, sum);
	  add_half_flux (other, flow_pressure (other), normal, sum);
	  for (int v = 0; v < VARIABLES; v++)
	    sum[v] += dissipation * (own[v] - other[v]);
	}
      memcpy (f->outflow[i], sum, sizeof sum);
    }
}

/* The new states after a part of the step.  */
static void
advance (struct flow *f, double part)
{
#pragma omp parallel for
  for (long i = 0; i < f->mesh->cells; i++)
    for (int v = 0; v < VARIABLES; v++)
      f->now[i][v] = f->old[i][v] - part * f->factor[i] * f->outflow[i][v];
}

void
flow_solve (struct flow *f, long iterations)
{
  for (long n = 0; n < iterations; n++)
    {
      begin_step (f);
      for (int stage = 0; stage < STAGES; stage++)
	{
	  compute_outflow (f);
	  advance (f, 1.0 / (STAGES - stage));
	}
    }
}
