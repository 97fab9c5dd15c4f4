/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clustering of a stream of points, a chunk at a time: each chunk is replaced by its weighted
   k-median centres, and these are clustered in the end, by a local search of very many short
   parallel regions.

   Source: O'Callaghan, Mishra, Meyerson, Guha, Motwani, "Streaming-Data Algorithms for High-Quality
   Clustering", ICDE 2002; Che et al., "Rodinia: A Benchmark Suite for Heterogeneous Computing",
   IISWC 2009 (Streamcluster), with the 10 to 20 centres of its input.

   The final centres, their weights, the costs of all searches and the number of candidates
   tried have to be those of the serial steps.  */

#include "search.h"

#include "bench.h"

#include <stdio.h>
#include <string.h>

enum
{
  SEED = 1973,
  /* Places that the points gather at.  */
  PLACES = 15,
  /* Coordinates are from 0 to this, a square of which times 1024 dimensions fits into 31 bits.  */
  HIGHEST = 255
};

struct stream
{
  struct points all;
  long chunk, least, most;
};

/* What the stream was reduced to: FINAL centres, as points; the sum of the searches' costs;
   candidates that were tried.  */
struct outcome
{
  struct points final;
  int64_t cost;
  long asked;
};

static void
allocate (struct points *p, long count, long dimensions)
{
  p->count = 0;
  p->dimensions = dimensions;
  p->coordinate = bench_allocate (count * dimensions, sizeof *p->coordinate);
  p->weight = bench_allocate (count, sizeof *p->weight);
}

/* Points about places of different density, and a third of all anywhere.  */
static void
make_points (struct points *p, long count, long dimensions)
{
  allocate (p, count, dimensions);
  p->count = count;
  for (long i = 0; i < count; i++)
    {
      uint64_t place = bench_random (SEED, i) % (PLACES + PLACES / 2);
      double spread = place < PLACES ? 0.1 + 0.02 * place : 1;
      p->weight[i] = 1;
      for (long k = 0; k < dimensions; k++)
	{
	  double middle = bench_uniform (SEED + 1, place * dimensions + k);
	  double any = bench_uniform (SEED + 2, i * dimensions + k);
	  p->coordinate[i * dimensions + k] = HIGHEST * (middle + spread * (any - middle));
	}
    }
}

/* Append the centres of S, a solution for FROM, to TO, each as heavy as its points.  */
static void
append_centres (const struct points *from, const struct solution *s, struct points *to)
{
  long dimensions = from->dimensions, first = to->count;
  to->count += s->centres;
  for (long c = 0; c < s->centres; c++)
    {
      memcpy (to->coordinate + (first + c) * dimensions,
	      from->coordinate + s->centre[c] * dimensions, dimensions * sizeof *to->coordinate);
      to->weight[first + c] = 0;
    }
  for (long i = 0; i < from->count; i++)
    to->weight[first + s->place[s->of[i]]] += from->weight[i];
}

/* Cluster the stream, whose chunks' centres go to BETWEEN.  */
static void
cluster (const struct stream *stream, const struct steps *steps, struct points *between,
	 struct solution *s, struct outcome *o)
{
  const struct points *all = &stream->all;
  struct sequence sequence = { 0 };

  o->cost = o->asked = o->final.count = between->count = 0;
  for (long first = 0; first < all->count; first += stream->chunk)
    {
      struct points part = *all;
      part.count = all->count - first < stream->chunk ? all->count - first : stream->chunk;
      part.coordinate += first * all->dimensions;
      part.weight += first;
      search (&part, s, steps, stream->least, stream->most, &sequence, &o->asked);
      o->cost += solution_cost (s, part.count);
      append_centres (&part, s, between);
    }
  search (between, s, steps, stream->least, stream->most, &sequence, &o->asked);
  o->cost += solution_cost (s, between->count);
  append_centres (between, s, &o->final);
}

static int
equal (const struct outcome *a, const struct outcome *b)
{
  const struct points *p = &a->final, *q = &b->final;
  return a->cost == b->cost && a->asked == b->asked && p->count == q->count
	 && memcmp (p->weight, q->weight, p->count * sizeof *p->weight) == 0
	 && memcmp (p->coordinate, q->coordinate,
		    p->count * p->dimensions * sizeof *p->coordinate)
	      == 0;
}

int
main (int argc, char **argv)
{
  struct stream stream = { .chunk = 512, .least = 10, .most = 20 };
  long size = 1024, dimensions = 512, repeats = 1;
  bench_options (argc, argv, "Cluster a stream of points.",
      { "size", &size, 1, 10000000, "points", NULL },
      { "chunk", &stream.chunk, 1, 65536, "points clustered at a time", NULL },
      { "dimensions", &dimensions, 1, 1024, "coordinates of a point", NULL },
      { "least", &stream.least, 1, 1000, "centres wanted at least", NULL },
      { "most", &stream.most, 1, 1000, "centres wanted at most", NULL },
      { "repeats", &repeats, 1, 100000, "times that all is done", NULL });
  if (stream.most < stream.least)
    bench_refuse ("--most=%ld: must be at least --least=%ld", stream.most, stream.least);

  struct points between;
  struct solution s;
  struct outcome found, reference;
  make_points (&stream.all, size, dimensions);
  allocate (&between, size, dimensions);
  allocate (&found.final, size, dimensions);
  allocate (&reference.final, size, dimensions);
  solution_allocate (&s, size);

  bench_start ();
  for (long r = 0; r < repeats; r++)
    cluster (&stream, &parallel_steps, &between, &s, &found);
  bench_stop ();

  cluster (&stream, &serial_steps, &between, &s, &reference);
  char extra[64];
  snprintf (extra, sizeof extra, "centres=%ld candidates=%ld", found.final.count, found.asked);
  bench_verify (equal (&found, &reference));
  return bench_result (extra);
}
