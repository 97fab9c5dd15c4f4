/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reference, by faces: what flows through each is computed once, leaves the cell on one
   side and enters that on the other.  */

#include "flow.h"

#include <math.h>
#include <string.h>

/* What flows through a unit of area with the unit normal N, at state U.  */
static void
flux (const state u, const double n[AXES], state through)
{
  double velocity = 0, pressure = flow_pressure (u);
  for (int k = 0; k < AXES; k++)
    velocity += u[MOMENTUM + k] / u[DENSITY] * n[k];
  through[DENSITY] = u[DENSITY] * velocity;
  for (int k = 0; k < AXES; k++)
    through[MOMENTUM + k] = u[MOMENTUM + k] * velocity + pressure * n[k];
  through[ENERGY] = (u[ENERGY] + pressure) * velocity;
}

/* Count the flow through face WHICH of cell I, to both of its sides.  */
static void
cross (struct flow *f, long i, int which)
{
  const double *normal = f->mesh->normal[i][which];
  double area = hypot (hypot (normal[0], normal[1]), normal[2]);
  double n[AXES] = { normal[0] / area, normal[1] / area, normal[2] / area };
  int beyond = f->mesh->neighbour[i][which];
  const double *own = f->now[i];
  if (beyond == WALL)
    {
      for (int k = 0; k < AXES; k++)
	f->outflow[i][MOMENTUM + k] += area * flow_pressure (own) * n[k];
      return;
    }

  const double *other = beyond == FAR ? f->far : f->now[beyond];
  double speed = (flow_wave_speed (own) + flow_wave_speed (other)) / 2;
  state here, there;
  flux (own, n, here);
  flux (other, n, there);
  for (int v = 0; v < VARIABLES; v++)
    {
      double through = area * ((here[v] + there[v]) / 2 + speed * (own[v] - other[v]) / 2);
      f->outflow[i][v] += through;
      if (beyond != FAR)
	f->outflow[beyond][v] -= through;
    }
}

void
flow_solve_serially (struct flow *f, long iterations)
{
  const struct mesh *m = f->mesh;
  for (long n = 0; n < iterations; n++)
    {
      memcpy (f->old, f->now, m->cells * sizeof *f->old);
      for (int stage = 0; stage < STAGES; stage++)
	{
	  memset (f->outflow, 0, m->cells * sizeof *f->outflow);
	  for (long i = 0; i < m->cells; i++)
	    for (int which = 0; which < FACES; which++)
	      if (m->neighbour[i][which] < 0 || m->neighbour[i][which] > i)
		cross (f, i, which);

	  for (long i = 0; i < m->cells; i++)
	    {
	      double surface = 0;
	      for (int which = 0; which < FACES; which++)
		{
		  const double *normal = m->normal[i][which];
		  surface += hypot (hypot (normal[0], normal[1]), normal[2]);
		}
	      double step = courant / surface / flow_wave_speed (f->old[i]) / (STAGES - stage);
	      for (int v = 0; v < VARIABLES; v++)
		f->now[i][v] = f->old[i][v] - step * f->outflow[i][v];
	    }
	}
    }
}
