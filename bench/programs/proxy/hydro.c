/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A shock in a gas in a tube, on a mesh that moves with it: a step is thirty short parallel loops
   over the zones or the nodes between them, as in LULESH, each of which does little.

   Sources: von Neumann, Richtmyer, "A method for the numerical calculation of hydrodynamic shocks",
   1950; Karlin, Keasler, Neely, "LULESH 2.0 updates and changes", LLNL-TR-641973, 2013.

   Verified by every zone and node, to 1e-9, against serial steps of three loops, and by the total
   energy, to 1e-3.  */

#include "proxy.h"

#include <math.h>

static const double heat_ratio = 1.4, quadratic = 2, linear = 0.5, courant = 0.3, smallest = 1e-12;

/* Of zones: pressure P, energy per mass E, density D, viscosity Q, volume V, speed of sound C,
   MASS, and what a step needs of them.  Of nodes, one more: place X, speed U, FORCE, acceleration
   A, MEAN mass beside it.  */
struct tube
{
  long zones;
  double *p, *e, *d, *q, *v, *c, *mass, *stress, *jump, *change, *before, *half, *limit, *work;
  double *x, *u, *force, *a, *mean;
  double dt;
};

static void
make_tube (struct tube *t, long zones)
{
  double **const arrays[]
    = { &t->p, &t->e, &t->d, &t->q, &t->v, &t->c, &t->mass, &t->stress, &t->jump, &t->change,
	&t->before, &t->half, &t->limit, &t->work, &t->x, &t->u, &t->force, &t->a, &t->mean };
  enum { ARRAYS = sizeof arrays / sizeof *arrays };
  double *room = bench_allocate (ARRAYS * (zones + 1), sizeof *room);
  for (int k = 0; k < ARRAYS; k++)
    *arrays[k] = room + k * (zones + 1);
  t->zones = zones;
  for (long i = 0; i <= zones; i++)
    t->x[i] = (double) i / zones;
  for (long i = 0; i < zones; i++)
    {
      int left = i < zones / 2;
      t->v[i] = t->x[i + 1] - t->x[i];
      t->d[i] = left ? 1 : 0.125;
      t->mass[i] = t->d[i] * t->v[i];
      t->p[i] = left ? 1 : 0.1;
      t->e[i] = t->p[i] / ((heat_ratio - 1) * t->d[i]);
      t->c[i] = sqrt (heat_ratio * t->p[i] / t->d[i]);
    }
  t->dt = courant * t->v[0] / t->c[0] / 4;
}

static inline double
viscosity (double jump, double density, double sound)
{
  return jump < 0 ? density * (quadratic * jump * jump - linear * sound * jump) : 0;
}

static inline double
pressure (double density, double energy)
{
  return fmax ((heat_ratio - 1) * density * energy, smallest);
}

#define EACH(i, n) _Pragma ("omp parallel for") for (long i = 0; i < (n); i++)

/* Forces, accelerations, speeds and places of the nodes.  */
static void
move_nodes (struct tube *t)
{
  long n = t->zones;
  EACH (i, n) t->jump[i] = t->u[i + 1] - t->u[i];
  EACH (i, n) t->q[i] = viscosity (t->jump[i], t->d[i], t->c[i]);
  EACH (i, n) t->stress[i] = t->p[i] + t->q[i];
  EACH (i, n - 1) t->force[i + 1] = t->stress[i] - t->stress[i + 1];
  EACH (i, n - 1) t->mean[i + 1] = (t->mass[i] + t->mass[i + 1]) / 2;
  EACH (i, 2) t->force[i * n] = 0;
  EACH (i, n - 1) t->a[i + 1] = t->force[i + 1] / t->mean[i + 1];
  EACH (i, 2) t->a[i * n] = 0;
  EACH (i, n + 1) t->u[i] += t->dt * t->a[i];
  EACH (i, n + 1) t->u[i] = fabs (t->u[i]) < smallest ? 0 : t->u[i];
  EACH (i, n + 1) t->x[i] += t->dt * t->u[i];
}

/* Volumes, energies and pressures of the zones; the energy in two steps.  */
static void
change_zones (struct tube *t)
{
  long n = t->zones;
  EACH (i, n) t->before[i] = t->v[i];
  EACH (i, n) t->v[i] = t->x[i + 1] - t->x[i];
  EACH (i, n) t->change[i] = t->v[i] - t->before[i];
  EACH (i, n) t->d[i] = t->mass[i] / t->v[i];
  EACH (i, n) t->jump[i] = t->u[i + 1] - t->u[i];
  EACH (i, n) t->work[i] = -t->stress[i] * t->change[i] / t->mass[i];
  EACH (i, n) t->half[i] = t->e[i] + t->work[i];
  EACH (i, n) t->half[i] = fmax (t->half[i], smallest);
  EACH (i, n) t->limit[i] = pressure (t->d[i], t->half[i]);
  EACH (i, n) t->stress[i] = (t->p[i] + t->limit[i]) / 2 + t->q[i];
  EACH (i, n) t->work[i] = -t->stress[i] * t->change[i] / t->mass[i];
  EACH (i, n) t->e[i] += t->work[i];
  EACH (i, n) t->e[i] = fmax (t->e[i], smallest);
  EACH (i, n) t->p[i] = pressure (t->d[i], t->e[i]);
  EACH (i, n) t->c[i] = sqrt (heat_ratio * t->p[i] / t->d[i]);
}

/* The next step's length: none may cross a zone, or shrink it by much.  */
static void
limit_time (struct tube *t)
{
  long n = t->zones;
  double sound = 1, squeeze = 1;
  EACH (i, n) t->limit[i] = t->v[i] / (t->c[i] + fabs (t->jump[i]));
#pragma omp parallel for reduction(min : sound)
  for (long i = 0; i < n; i++)
    sound = fmin (sound, t->limit[i]);
  EACH (i, n) t->limit[i] = t->v[i] / (fabs (t->jump[i]) + smallest);
#pragma omp parallel for reduction(min : squeeze)
  for (long i = 0; i < n; i++)
    squeeze = fmin (squeeze, t->limit[i]);
  t->dt = fmin (1.1 * t->dt, fmin (courant * sound, 0.1 * squeeze));
}

static void
step_serially (struct tube *t)
{
  long n = t->zones;
  double least = 1;
  for (long i = 0; i < n; i++)
    t->q[i] = viscosity (t->u[i + 1] - t->u[i], t->d[i], t->c[i]);
  for (long i = 1; i < n; i++)
    {
      double stress = t->p[i - 1] + t->q[i - 1] - t->p[i] - t->q[i];
      t->u[i] += 2 * t->dt * stress / (t->mass[i - 1] + t->mass[i]);
    }
  for (long i = 0; i < n; i++)
    {
      double before = t->v[i], last = t->p[i], per_mass;
      t->x[i] += t->dt * t->u[i];
      t->v[i] = t->x[i + 1] + t->dt * t->u[i + 1] - t->x[i];
      t->d[i] = t->mass[i] / t->v[i];
      per_mass = (t->v[i] - before) / t->mass[i];
      double guess = pressure (t->d[i], fmax (t->e[i] - per_mass * (last + t->q[i]), smallest));
      t->e[i] = fmax (t->e[i] - per_mass * ((last + guess) / 2 + t->q[i]), smallest);
      t->p[i] = pressure (t->d[i], t->e[i]);
      t->c[i] = sqrt (heat_ratio * t->p[i] / t->d[i]);
      double jump = fabs (t->u[i + 1] - t->u[i]);
      least = fmin (least, courant * t->v[i] / (t->c[i] + jump));
      least = fmin (least, 0.1 * t->v[i] / (jump + smallest));
    }
  t->dt = fmin (1.1 * t->dt, least);
}

static double
energy (const struct tube *t)
{
  double sum = 0;
  for (long i = 0; i < t->zones; i++)
    sum += t->mass[i] * (t->e[i] + (t->u[i] * t->u[i] + t->u[i + 1] * t->u[i + 1]) / 4);
  return sum;
}

int
main (int argc, char **argv)
{
  long zones = 10000, steps = 100;
  bench_options (argc, argv, "Simulate a shock in a tube.",
      { "size", &zones, 10, 1L << 24, "zones", NULL },
      { "steps", &steps, 1, 1000000, "steps", NULL });

  struct tube t, expected;
  make_tube (&t, zones);
  make_tube (&expected, zones);
  double given = energy (&t);
  bench_start ();
  for (long s = 0; s < steps; s++)
    {
      move_nodes (&t);
      change_zones (&t);
      limit_time (&t);
    }
  bench_stop ();
  for (long s = 0; s < steps; s++)
    step_serially (&expected);
  bench_verify (fabs (energy (&t) - given) <= 1e-3 * given);
  bench_verify (proxy_alike (t.e, expected.e, zones, 1e-9));
  bench_verify (proxy_alike (t.p, expected.p, zones, 1e-9));
  bench_verify (proxy_alike (t.x, expected.x, zones + 1, 1e-9));
  bench_verify (proxy_alike (t.u, expected.u, zones + 1, 1e-9));
  return bench_result (NULL);
}
