/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Breadth-first search of the Rodinia suite, level by level: one loop over all nodes, in
   blocks, expands those of the frontier, a second one makes the nodes found the next frontier.

   Source: Harish, Narayanan, "Accelerating large graph algorithms on the GPU using CUDA", HiPC
   2007, section 4.1; Che et al., "Rodinia", IISWC 2009.  The graph is random: the number of edges
   that leave a node is distributed by a power law.

   Verified by the level of every node, exactly, against a search with a queue.  */

#include "bench.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum
{
  UNSEEN = -1,
  /* No node has less edges, and no node more than one MOST_SHARE-th of the nodes.  */
  LEAST_EDGES = 2,
  MOST_SHARE = 16
};

/* The share of nodes with at least d edges falls like d to this power.  */
static const double tail = -1.5;

static const uint64_t seed_degree = 1, seed_edge = 2, seed_source = 3;

/* The edges of node i go to TARGET[START[i]] to TARGET[START[i + 1] - 1].  BLOCK nodes are an
   iteration of a loop.  */
struct graph
{
  long nodes, block;
  long *start;
  int *target;
};

/* LEVEL is the number of edges to a node, or UNSEEN.  FRONTIER marks the nodes to expand, FOUND
   those that an expansion came to.  */
struct search
{
  int *level;
  uint8_t *frontier, *found;
};

static void
make_graph (struct graph *g)
{
  long most = g->nodes / MOST_SHARE + LEAST_EDGES;
  g->start = bench_allocate (g->nodes + 1, sizeof *g->start);
  for (long i = 0; i < g->nodes; i++)
    {
      double degree = LEAST_EDGES * pow (1 - bench_uniform (seed_degree, i), 1 / tail);
      g->start[i + 1] = g->start[i] + (long) fmin (degree, most);
    }
  long edges = g->start[g->nodes];
  g->target = bench_allocate (edges, sizeof *g->target);
  for (long e = 0; e < edges; e++)
    g->target[e] = bench_random (seed_edge, e) % g->nodes;
}

static void
begin (const struct graph *g, struct search *s, long source)
{
  for (long i = 0; i < g->nodes; i++)
    s->level[i] = UNSEEN;
  memset (s->frontier, 0, g->nodes);
  memset (s->found, 0, g->nodes);
  s->level[source] = 0;
  s->frontier[source] = 1;
}

/* Mark the nodes that no level has yet and to which an edge leads from NODE.  Others may mark the
   same ones at this moment.  */
static inline void
expand (const struct graph *g, struct search *s, long node)
{
  for (long e = g->start[node]; e < g->start[node + 1]; e++)
    {
      int target = g->target[e];
      if (s->level[target] == UNSEEN)
	{
#pragma omp atomic write
	  s->found[target] = 1;
	}
    }
}

static void
search_in_parallel (const struct graph *g, struct search *s)
{
  int more = 1;
  for (int level = 1; more; level++)
    {
#pragma omp parallel for
      for (long first = 0; first < g->nodes; first += g->block)
	for (long i = first; i < bench_least (first + g->block, g->nodes); i++)
	  if (s->frontier[i])
	    {
	      s->frontier[i] = 0;
	      expand (g, s, i);
	    }

      more = 0;
#pragma omp parallel for reduction(|| : more)
      for (long first = 0; first < g->nodes; first += g->block)
	for (long i = first; i < bench_least (first + g->block, g->nodes); i++)
	  if (s->found[i])
	    {
	      s->found[i] = 0;
	      s->frontier[i] = 1;
	      s->level[i] = level;
	      more = 1;
	    }
    }
}

/* The levels from SOURCE into LEVEL, with a QUEUE that has room for all nodes.  */
static void
search_serially (const struct graph *g, long source, int *level, int *queue)
{
  for (long i = 0; i < g->nodes; i++)
    level[i] = UNSEEN;
  level[source] = 0;
  queue[0] = source;
  for (long head = 0, end = 1; head < end; head++)
    for (long e = g->start[queue[head]]; e < g->start[queue[head] + 1]; e++)
      if (level[g->target[e]] == UNSEEN)
	{
	  level[g->target[e]] = level[queue[head]] + 1;
	  queue[end++] = g->target[e];
	}
}

int
main (int argc, char **argv)
{
  struct graph g = { .nodes = 1000000, .block = 1024 };
  long repeats = 5;
  bench_options (argc, argv, "Search a graph breadth first.",
      { "size", &g.nodes, 1, 1L << 28, "nodes of the graph", NULL },
      { "block", &g.block, 1, 1L << 28, "nodes of an iteration of a loop", NULL },
      { "repeats", &repeats, 1, 100000, "searches, each from another node", NULL });

  make_graph (&g);
  struct search s = { .level = bench_allocate (g.nodes, sizeof (int)),
		      .frontier = bench_allocate (g.nodes, 1),
		      .found = bench_allocate (g.nodes, 1) };
  int *expected = bench_allocate (g.nodes, sizeof *expected);
  int *queue = bench_allocate (g.nodes, sizeof *queue);

  for (long r = 0; r < repeats; r++)
    {
      long source = bench_random (seed_source, r) % g.nodes;
      begin (&g, &s, source);
      bench_start ();
      search_in_parallel (&g, &s);
      bench_stop ();
      search_serially (&g, source, expected, queue);
      bench_verify (memcmp (s.level, expected, g.nodes * sizeof *expected) == 0);
    }
  return bench_result (NULL);
}
