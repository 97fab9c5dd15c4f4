/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Potentials and forces between charged particles in a cube of boxes, each box interacting with
   itself and its up to 26 neighbours: one loop over boxes, whose costs follow from how many
   particles a box and its neighbours hold, and from how many neighbours there are.

   Source: Szafaryn, Gamblin, de Supinski, Skadron, "Experiences with Achieving Portability across
   Heterogeneous Architectures", WOLFHPC 2011, and the Rodinia suite, whose lavaMD it became; but
   there all boxes hold 100 particles.

   Verified by a serial reference that visits each pair of particles once, and adds to both, to
   1e-9 of the sum of the magnitudes.  */

#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum
{
  DIMENSIONS = 3,
  NEIGHBOURS = 27,
  SEED = 27
};

/* The potential of two particles decays as exp (-DECAY * distance^2); boxes are one wide.  */
static const double decay = 0.5;

struct particle
{
  double position[DIMENSIONS], charge;
};

/* What acts on a particle: the potential and its gradient's negative.  */
struct action
{
  double potential, force[DIMENSIONS];
};

/* WIDTH boxes in each direction; box b has the particles from FIRST[b] up to FIRST[b + 1] - 1
   and the neighbours (itself among them) NEIGHBOUR[b][0] up to NEIGHBOUR[b][COUNT[b] - 1].  */
struct space
{
  long width, boxes;
  long *first, (*neighbour)[NEIGHBOURS];
  int *count;
  struct particle *particle;
};

/* How many particles box B has: MEAN in the mean, and half as many more or fewer.  */
static long
occupancy (long b, long mean)
{
  double u = bench_uniform (SEED, b);
  return 1 + (long) (mean * (0.5 + u));
}

static void
place_particles (struct space *s, long mean)
{
  s->first = bench_allocate (s->boxes + 1, sizeof *s->first);
  for (long b = 0; b < s->boxes; b++)
    s->first[b + 1] = s->first[b] + occupancy (b, mean);
  s->particle = bench_allocate (s->first[s->boxes], sizeof *s->particle);
  for (long b = 0; b < s->boxes; b++)
    for (long i = s->first[b]; i < s->first[b + 1]; i++)
      {
	const long corner[DIMENSIONS]
	  = { b % s->width, b / s->width % s->width, b / s->width / s->width };
	for (int k = 0; k < DIMENSIONS; k++)
	  s->particle[i].position[k] = corner[k] + bench_uniform (SEED + 1, i * DIMENSIONS + k);
	s->particle[i].charge = 0.1 + 0.9 * bench_uniform (SEED + 2, i);
      }
}

static void
find_neighbours (struct space *s)
{
  s->neighbour = bench_allocate (s->boxes, sizeof *s->neighbour);
  s->count = bench_allocate (s->boxes, sizeof *s->count);
  for (long b = 0; b < s->boxes; b++)
    {
      long x = b % s->width, y = b / s->width % s->width, z = b / s->width / s->width;
      for (int n = 0; n < NEIGHBOURS; n++)
	{
	  long nx = x + n % 3 - 1, ny = y + n / 3 % 3 - 1, nz = z + n / 9 - 1;
	  if (nx >= 0 && nx < s->width && ny >= 0 && ny < s->width && nz >= 0 && nz < s->width)
	    s->neighbour[b][s->count[b]++] = (nz * s->width + ny) * s->width + nx;
	}
    }
}

/* Add to OWN, which acts on particle P, what those from FIRST up to LAST - 1 do to it.  */
static void
attract (const struct space *s, const struct particle *p, long first, long last,
	 struct action *own)
{
  for (long j = first; j < last; j++)
    {
      const struct particle *q = &s->particle[j];
      double x = p->position[0] - q->position[0];
      double y = p->position[1] - q->position[1];
      double z = p->position[2] - q->position[2];
      double potential = q->charge * exp (-decay * (x * x + y * y + z * z));
      double slope = 2 * decay * potential;
      own->potential += potential;
      own->force[0] += slope * x;
      own->force[1] += slope * y;
      own->force[2] += slope * z;
    }
}

static void
compute (const struct space *s, struct action *action)
{
#pragma omp parallel for
  for (long b = 0; b < s->boxes; b++)
    for (long i = s->first[b]; i < s->first[b + 1]; i++)
      {
	struct action own = { 0 };
	for (int n = 0; n < s->count[b]; n++)
	  {
	    long other = s->neighbour[b][n];
	    attract (s, &s->particle[i], s->first[other], s->first[other + 1], &own);
	  }
	action[i] = own;
      }
}

/* Whether boxes A and B are neighbours, or the same.  */
static int
adjacent (const struct space *s, long a, long b)
{
  long w = s->width;
  return labs (a % w - b % w) <= 1 && labs (a / w % w - b / w % w) <= 1
	 && labs (a / (w * w) - b / (w * w)) <= 1;
}

/* Add what particles I and J do to each other to ACTION, and the magnitudes of it to SCALE.  */
static void
interact (const struct space *s, long i, long j, struct action *action, double *scale)
{
  const struct particle *p = &s->particle[i], *q = &s->particle[j];
  double squared = 0;
  for (int k = 0; k < DIMENSIONS; k++)
    squared += pow (p->position[k] - q->position[k], 2);
  double potential = exp (-decay * squared);
  action[i].potential += q->charge * potential;
  scale[i] += q->charge * potential;
  if (i == j)
    return;
  action[j].potential += p->charge * potential;
  scale[j] += p->charge * potential;
  for (int k = 0; k < DIMENSIONS; k++)
    {
      double force = 2 * decay * potential * (p->position[k] - q->position[k]);
      action[i].force[k] += q->charge * force;
      action[j].force[k] -= p->charge * force;
    }
}

static int
close_enough (const struct action *a, const struct action *b, double scale)
{
  double tolerance = 1e-9 * scale;
  int good = fabs (a->potential - b->potential) <= tolerance;
  for (int k = 0; k < DIMENSIONS; k++)
    good = good && fabs (a->force[k] - b->force[k]) <= tolerance;
  return good;
}

static int
verify (const struct space *s, const struct action *action)
{
  long particles = s->first[s->boxes];
  struct action *reference = bench_allocate (particles, sizeof *reference);
  double *scale = bench_allocate (particles, sizeof *scale);
  for (long a = 0; a < s->boxes; a++)
    for (long b = a; b < s->boxes; b++)
      if (adjacent (s, a, b))
	for (long i = s->first[a]; i < s->first[a + 1]; i++)
	  for (long j = a == b ? i : s->first[b]; j < s->first[b + 1]; j++)
	    interact (s, i, j, reference, scale);

  int good = 1;
  for (long i = 0; i < particles; i++)
    good = close_enough (&action[i], &reference[i], scale[i]) && good;
  free (reference);
  free (scale);
  return good;
}

int
main (int argc, char **argv)
{
  long size = 10, particles = 50, repeats = 1;
  bench_options (argc, argv, "Compute forces between particles in boxes.",
      { "size", &size, 1, 100, "boxes in each direction", NULL },
      { "particles", &particles, 1, 10000, "particles of a box in the mean", NULL },
      { "repeats", &repeats, 1, 100000, "times that all is computed", NULL });

  struct space s = { .width = size, .boxes = size * size * size };
  place_particles (&s, particles);
  find_neighbours (&s);
  struct action *action = bench_allocate (s.first[s.boxes], sizeof *action);

  bench_start ();
  for (long r = 0; r < repeats; r++)
    compute (&s, action);
  bench_stop ();
  bench_verify (verify (&s, action));
  return bench_result (NULL);
}
