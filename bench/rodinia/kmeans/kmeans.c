/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clustering by k-means (Lloyd's algorithm), for a fixed number of iterations: one loop a step,
   over points, which assigns each to the nearest centre and sums the points of every cluster.

   Source: Che et al., "Rodinia: A Benchmark Suite for Heterogeneous Computing", IISWC 2009, section
   IV (Kmeans), with the 34 features and the five clusters of its input.

   Features are small whole numbers, whose sums are exact in any order, so that the centres, the
   clusters and the numbers of points that moved have to be those of a serial reference.  */

#include "bench.h"

#include <float.h>
#include <string.h>

/* SIZE points of FEATURES coordinates each.  */
struct data
{
  long size, features;
  float *point;
};

/* The CLUSTERS centres, the cluster of each point, and how many points changed theirs in all.  */
struct clustering
{
  long clusters;
  double *centre;
  int *cluster;
  long moved;
};

enum
{
  SEED = 2009,
  /* Features are from 0 to about this.  */
  RANGE = 1024,
  NONE = -1
};

/* Points scattered about as many places as there are clusters, overlapping, so that the
   boundaries keep moving.  */
static void
make_points (struct data *d, long size, long features, long clusters)
{
  d->size = size;
  d->features = features;
  d->point = bench_allocate (size * features, sizeof *d->point);
  for (long i = 0; i < size; i++)
    {
      uint64_t place = bench_random (SEED, i) % clusters;
      for (long f = 0; f < features; f++)
	{
	  uint64_t at = i * features + f;
	  double middle = RANGE / 4 * (1 + 2 * bench_uniform (SEED + 1, place * features + f));
	  double away = bench_uniform (SEED + 2, at) + bench_uniform (SEED + 3, at) - 1;
	  d->point[at] = (long) (middle + RANGE / 4 * away);
	}
    }
}

static void
allocate (struct clustering *c, const struct data *d, long clusters)
{
  c->clusters = clusters;
  c->centre = bench_allocate (clusters * d->features, sizeof *c->centre);
  c->cluster = bench_allocate (d->size, sizeof *c->cluster);
}

/* The first points are the first centres, and no point has a cluster.  */
static void
begin (struct clustering *c, const struct data *d)
{
  c->moved = 0;
  for (long i = 0; i < c->clusters * d->features; i++)
    c->centre[i] = d->point[i];
  for (long i = 0; i < d->size; i++)
    c->cluster[i] = NONE;
}

/* The centre that is nearest to POINT; the first one of several.  */
static int
nearest (const struct clustering *c, const float *point, long features)
{
  int best = 0;
  double best_distance = DBL_MAX;
  for (long k = 0; k < c->clusters; k++)
    {
      const double *centre = c->centre + k * features;
      double distance = 0;
      for (long f = 0; f < features; f++)
	{
	  double difference = point[f] - centre[f];
	  distance += difference * difference;
	}
      if (distance < best_distance)
	{
	  best_distance = distance;
	  best = k;
	}
    }
  return best;
}

/* Assign every point, and store the sums and the counts of the clusters' points.  */
static void
assign (struct clustering *c, const struct data *d, double *sum, long *count)
{
  long features = d->features, clusters = c->clusters, moved = 0;

  memset (sum, 0, clusters * features * sizeof *sum);
  memset (count, 0, clusters * sizeof *count);
#pragma omp parallel for reduction(+ : moved, sum[ : clusters * features], count[ : clusters])
  for (long i = 0; i < d->size; i++)
    {
      const float *point = d->point + i * features;
      int k = nearest (c, point, features);
      moved += k != c->cluster[i];
      c->cluster[i] = k;
      count[k]++;
      for (long f = 0; f < features; f++)
	sum[k * features + f] += point[f];
    }
  c->moved += moved;
}

/* Move each centre to the mean of its points; one that has none stays.  */
static void
move_centres (struct clustering *c, long features, const double *sum, const long *count)
{
  for (long k = 0; k < c->clusters; k++)
    for (long f = 0; f < features && count[k] > 0; f++)
      c->centre[k * features + f] = sum[k * features + f] / (double) count[k];
}

/* The same, serially: a centre's sums are those of one pass over all points for each cluster.  */
static void
solve_serially (struct clustering *c, const struct data *d, long iterations)
{
  begin (c, d);
  for (long n = 0; n < iterations; n++)
    {
      for (long i = 0; i < d->size; i++)
	{
	  int k = nearest (c, d->point + i * d->features, d->features);
	  if (k != c->cluster[i])
	    c->moved++;
	  c->cluster[i] = k;
	}
      for (long k = 0; k < c->clusters; k++)
	for (long f = 0; f < d->features; f++)
	  {
	    double sum = 0;
	    long count = 0;
	    for (long i = 0; i < d->size; i++)
	      if (c->cluster[i] == k)
		{
		  sum += d->point[i * d->features + f];
		  count++;
		}
	    if (count > 0)
	      c->centre[k * d->features + f] = sum / (double) count;
	  }
    }
}

static int
equal (const struct clustering *a, const struct clustering *b, const struct data *d)
{
  return a->moved == b->moved
	 && memcmp (a->cluster, b->cluster, d->size * sizeof *a->cluster) == 0
	 && memcmp (a->centre, b->centre, a->clusters * d->features * sizeof *a->centre) == 0;
}

int
main (int argc, char **argv)
{
  long size = 100000, features = 34, clusters = 5, iterations = 20, repeats = 1;
  bench_options (argc, argv, "Cluster points by k-means.",
      { "size", &size, 64, 10000000, "points", NULL },
      { "features", &features, 1, 256, "coordinates of a point", NULL },
      { "clusters", &clusters, 2, 64, "clusters to find", NULL },
      { "iterations", &iterations, 1, 1000, "times that the points are assigned", NULL },
      { "repeats", &repeats, 1, 100000, "times that all is done", NULL });

  struct data d;
  struct clustering c, reference;
  make_points (&d, size, features, clusters);
  allocate (&c, &d, clusters);
  allocate (&reference, &d, clusters);
  double *sum = bench_allocate (clusters * features, sizeof *sum);
  long *count = bench_allocate (clusters, sizeof *count);

  bench_start ();
  for (long r = 0; r < repeats; r++)
    {
      begin (&c, &d);
      for (long n = 0; n < iterations; n++)
	{
	  assign (&c, &d, sum, count);
	  move_centres (&c, features, sum, count);
	}
    }
  bench_stop ();

  solve_serially (&reference, &d, iterations);
  bench_verify (equal (&c, &reference, &d));
  return bench_result (NULL);
}
