/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Supersonic flow around a body by the Euler equations, in finite volumes on an unstructured mesh,
   with Runge-Kutta steps of three stages and seven parallel loops each.

   Source: Corrigan, Camelli, Loehner, Wallin, "Running Unstructured Grid Based CFD Solvers on
   Modern Graphics Hardware", AIAA 2009-4001; Che et al., "Rodinia: A Benchmark Suite for
   Heterogeneous Computing", IISWC 2009 (CFD Solver, euler3d).

   Verified by a serial solution that goes by faces instead of cells, to 1e-10 in every
   variable, whose undisturbed values are about 1; by positive densities and pressures; and by
   the mesh: the normals of every cell add up to nothing.  */

#include "bench.h"
#include "flow.h"
#include "mesh.h"

#include <math.h>

static int
closed (const struct mesh *m)
{
  for (long i = 0; i < m->cells; i++)
    for (int k = 0; k < AXES; k++)
      {
	double sum = 0;
	for (int which = 0; which < FACES; which++)
	  sum += m->normal[i][which][k];
	if (!(fabs (sum) <= 1e-12))
	  return 0;
      }
  return 1;
}

static int
close_enough (const struct flow *f, const struct flow *reference)
{
  for (long i = 0; i < f->mesh->cells; i++)
    {
      if (!(f->now[i][DENSITY] > 0 && flow_pressure (f->now[i]) > 0))
	return 0;
      for (int v = 0; v < VARIABLES; v++)
	if (!(fabs (f->now[i][v] - reference->now[i][v]) <= 1e-10))
	  return 0;
    }
  return 1;
}

int
main (int argc, char **argv)
{
  long size = 16, iterations = 20, repeats = 1;
  bench_options (argc, argv, "Compute a supersonic flow around a body.",
      { "size", &size, 4, 120, "cubes along an edge of the mesh, of six cells each", NULL },
      { "iterations", &iterations, 1, 100000, "steps", NULL },
      { "repeats", &repeats, 1, 100000, "times that all steps are done", NULL });

  struct mesh mesh;
  struct flow flow, reference;
  mesh_build (&mesh, size);
  flow_allocate (&flow, &mesh);
  flow_allocate (&reference, &mesh);

  for (long r = 0; r < repeats; r++)
    {
      flow_begin (&flow);
      bench_start ();
      flow_solve (&flow, iterations);
      bench_stop ();
    }

  flow_begin (&reference);
  flow_solve_serially (&reference, iterations);
  bench_verify (closed (&mesh) && close_enough (&flow, &reference));
  return bench_result (NULL);
}
