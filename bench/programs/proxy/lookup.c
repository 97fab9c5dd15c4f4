/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cross sections of particles at random energies, as Monte Carlo transport looks them up: a loop
   that runs once generates a table for each nuclide, and one that runs once reads them, by a
   binary search and an interpolation for each nuclide of a material, of which some have many
   more than others.

   After Tramm, Siegel, Islam, Schulz, "XSBench", 2014.

   Verified by every sum, to 1e-9: what is tabulated is linear in the energy.  */

#include "proxy.h"

static const uint64_t seed_energy = 1, seed_slope = 2, seed_lookup = 3, seed_material = 4;

struct point
{
  double energy, value;
};

/* Nuclide k has POINTS points from TABLE[k * POINTS] on, energies from 0 to 1 that rise.  */
struct tables
{
  long nuclides, points;
  struct point *table;
};

static inline double
value_at (long nuclide, double energy)
{
  return 1 + bench_uniform (seed_slope, nuclide) * energy;
}

static void
generate (struct tables *t)
{
#pragma omp parallel for
  for (long at = 0; at < t->nuclides * t->points; at++)
    {
      long nuclide = at / t->points, point = at % t->points;
      /* The last one is 1, the first one 0, and the others are somewhere in their own places.  */
      int edge = point == 0 || point == t->points - 1;
      double within = edge ? 0 : bench_uniform (seed_energy, at) / 2;
      double energy = (point + within) / (t->points - 1);
      t->table[at] = (struct point){ energy, value_at (nuclide, energy) };
    }
}

static double
interpolate (const struct tables *t, long nuclide, double energy)
{
  const struct point *table = t->table + nuclide * t->points;
  long low = 0, high = t->points - 1;
  while (high - low > 1)
    {
      long middle = (low + high) / 2;
      if (table[middle].energy <= energy)
	low = middle;
      else
	high = middle;
    }
  double share = (energy - table[low].energy) / (table[high].energy - table[low].energy);
  return table[low].value + share * (table[high].value - table[low].value);
}

/* How many nuclides the material of lookup I has: one of ten has all.  */
static long
material (const struct tables *t, long i)
{
  return bench_random (seed_material, i) % 10 == 0 ? t->nuclides : t->nuclides / 8 + 1;
}

static void
look_up (const struct tables *t, double *sum, long lookups)
{
#pragma omp parallel for
  for (long i = 0; i < lookups; i++)
    {
      double total = 0;
      for (long k = 0; k < material (t, i); k++)
	total += interpolate (t, k, bench_uniform (seed_lookup, i));
      sum[i] = total;
    }
}

int
main (int argc, char **argv)
{
  struct tables t = { .nuclides = 60, .points = 5000 };
  long lookups = 50000;
  bench_options (argc, argv, "Generate tables of cross sections and look them up.",
      { "size", &lookups, 1, 1L << 28, "lookups", NULL },
      { "nuclides", &t.nuclides, 1, 10000, "nuclides, a table each", NULL },
      { "points", &t.points, 2, 1L << 20, "points of a table", NULL });

  t.table = bench_allocate (t.nuclides * t.points, sizeof *t.table);
  double *sum = bench_allocate (lookups, sizeof *sum);
  double *expected = bench_allocate (lookups, sizeof *expected);
  bench_start ();
  generate (&t);
  look_up (&t, sum, lookups);
  bench_stop ();

  for (long i = 0; i < lookups; i++)
    for (long k = 0; k < material (&t, i); k++)
      expected[i] += value_at (k, bench_uniform (seed_lookup, i));
  bench_verify (proxy_alike (sum, expected, lookups, 1e-9));
  return bench_result (NULL);
}
