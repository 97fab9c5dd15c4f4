/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A compressible flow in a mesh, and the two solvers for it: in parallel, by cells, and a serial
   reference, by faces.  */

#ifndef FLOW_H
#define FLOW_H 1

#include "mesh.h"

enum
{
  /* What is conserved: density, momentum by axis, and energy.  */
  DENSITY = 0,
  MOMENTUM = 1,
  ENERGY = MOMENTUM + AXES,
  VARIABLES,
  /* Stages of a Runge-Kutta step.  */
  STAGES = 3
};

typedef double state[VARIABLES];

/* The states of a mesh's cells, now and at the beginning of the step; what flows out of each;
   and by how much of that its state changes in a whole step.  */
struct flow
{
  const struct mesh *mesh;
  state far, *now, *old, *outflow;
  double *factor;
};

/* The stability limit's share that a step takes.  */
extern const double courant;

void flow_allocate (struct flow *f, const struct mesh *mesh);

/* The undisturbed flow everywhere.  */
void flow_begin (struct flow *f);

double flow_pressure (const state u);

/* The speed of the fastest wave in a state: that of the flow plus that of sound.  */
double flow_wave_speed (const state u);

/* Take ITERATIONS steps.  */
void flow_solve (struct flow *f, long iterations);
void flow_solve_serially (struct flow *f, long iterations);

#endif
