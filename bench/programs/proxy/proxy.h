/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the proxy programs share: random graphs, and comparisons.  */

#ifndef PROXY_H
#define PROXY_H 1

#include "bench.h"

#ifdef __cplusplus
extern "C" {
#endif

enum
{
  PROXY_UNSEEN = -1,
  /* The largest weight of an edge; the smallest is 1.  */
  PROXY_HEAVIEST = 255
};

/* A directed graph: the edges of node i go to TARGET[START[i]] to TARGET[START[i + 1] - 1].  A node
   has from 1 to 2 * DEGREE - 1 of them, to any nodes.  */
struct proxy_graph
{
  long nodes, degree;
  long *start;
  int *target, *weight;
};

/* The options of a program on the graph G, whose nodes have at least LEAST edges in the mean.  */
#define PROXY_GRAPH_OPTIONS(g, least) \
  { "size", &(g).nodes, 1, 1L << 28, "nodes of the graph", NULL }, \
  { "degree", &(g).degree, least, 1000, "edges of a node in the mean", NULL }

/* Fill in the rest of G, by a loop over BLOCKS blocks of nodes.  */
void proxy_make_graph (struct proxy_graph *g, long blocks);

/* The node at which search REPEAT begins.  */
static inline int
proxy_source (const struct proxy_graph *g, long repeat)
{
  return (int) (bench_random (4, repeat) % g->nodes);
}

/* Whether the COUNT elements of X and Y differ by at most TOLERANCE, relative to the larger one or
   1.  */
int proxy_alike (const double *x, const double *y, long count, double tolerance);

#ifdef __cplusplus
}
#endif

#endif
