/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PageRank by pulling: a graph generated once, in four blocks, which is fewer than threads; then
   iterations of two loops, in which each node adds up what the nodes with edges to it hand on.

   After Beamer, Asanovic, Patterson, "The GAP benchmark suite", 2015.

   Verified by the rank of every node, to 1e-12, against serial iterations that divide at each
   edge, and by their sum.  */

#include "proxy.h"

#include <math.h>

static const double damping = 0.85;

/* The edges of IN lead from its targets to its nodes.  OUT counts the edges that leave each
   node.  */
static void
count_out (const struct proxy_graph *in, int *out)
{
#pragma omp parallel for
  for (long e = 0; e < in->start[in->nodes]; e++)
    {
#pragma omp atomic
      out[in->target[e]]++;
    }
}

/* One iteration; nodes without edges hand their ranks on to all.  */
static void
iterate (const struct proxy_graph *in, const int *out, double *rank, double *part)
{
  double loose = 0;
#pragma omp parallel for reduction(+ : loose)
  for (long i = 0; i < in->nodes; i++)
    {
      part[i] = out[i] > 0 ? rank[i] / out[i] : 0;
      loose += out[i] > 0 ? 0 : rank[i];
    }
  double base = (1 - damping + damping * loose) / in->nodes;
#pragma omp parallel for
  for (long i = 0; i < in->nodes; i++)
    {
      double sum = 0;
      for (long e = in->start[i]; e < in->start[i + 1]; e++)
	sum += part[in->target[e]];
      rank[i] = base + damping * sum;
    }
}

static void
iterate_serially (const struct proxy_graph *in, const int *out, const double *rank, double *next)
{
  double loose = 0;
  for (long i = 0; i < in->nodes; i++)
    {
      next[i] = (1 - damping) / in->nodes;
      loose += out[i] > 0 ? 0 : rank[i];
    }
  for (long i = 0; i < in->nodes; i++)
    {
      next[i] += damping * loose / in->nodes;
      for (long e = in->start[i]; e < in->start[i + 1]; e++)
	next[i] += damping * rank[in->target[e]] / out[in->target[e]];
    }
}

int
main (int argc, char **argv)
{
  struct proxy_graph g = { .nodes = 10000, .degree = 8 };
  long blocks = 4, iterations = 20;
  bench_options (argc, argv, "Rank the nodes of a graph by the edges that lead to them.",
      PROXY_GRAPH_OPTIONS (g, 1),
      { "blocks", &blocks, 1, 1000, "blocks in which the graph is generated", NULL },
      { "iterations", &iterations, 1, 100000, "iterations", NULL });

  double *rank = bench_allocate (g.nodes, sizeof *rank);
  double *part = bench_allocate (g.nodes, sizeof *part);
  double *expected = bench_allocate (g.nodes, sizeof *expected), sum = 0;
  int *out = bench_allocate (g.nodes, sizeof *out);
  for (long i = 0; i < g.nodes; i++)
    rank[i] = expected[i] = 1.0 / g.nodes;

  bench_start ();
  proxy_make_graph (&g, blocks);
  count_out (&g, out);
  for (long k = 0; k < iterations; k++)
    iterate (&g, out, rank, part);
  bench_stop ();

  for (long k = 0; k < iterations; k++)
    {
      iterate_serially (&g, out, expected, part);
      double *done = expected;
      expected = part;
      part = done;
    }
  for (long i = 0; i < g.nodes; i++)
    {
      sum += rank[i];
      bench_verify (fabs (rank[i] - expected[i]) <= 1e-12 * expected[i]);
    }
  bench_verify (fabs (sum - 1) < 1e-12);
  return bench_result (NULL);
}
