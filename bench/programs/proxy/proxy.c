/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the proxy programs share.  It is compiled as C++, too.  */

#include "proxy.h"

#include <math.h>

static const uint64_t seed_degree = 1, seed_target = 2, seed_weight = 3;

void
proxy_make_graph (struct proxy_graph *g, long blocks)
{
  g->start = (long *) bench_allocate (g->nodes + 1, sizeof *g->start);
  for (long i = 0; i < g->nodes; i++)
    g->start[i + 1] = g->start[i] + 1 + bench_random (seed_degree, i) % (2 * g->degree - 1);
  g->target = (int *) bench_allocate (g->start[g->nodes], sizeof *g->target);
  g->weight = (int *) bench_allocate (g->start[g->nodes], sizeof *g->weight);

#pragma omp parallel for
  for (long b = 0; b < blocks; b++)
    for (long e = g->start[g->nodes * b / blocks]; e < g->start[g->nodes * (b + 1) / blocks]; e++)
      {
	g->target[e] = bench_random (seed_target, e) % g->nodes;
	g->weight[e] = 1 + bench_random (seed_weight, e) % PROXY_HEAVIEST;
      }
}

int
proxy_alike (const double *x, const double *y, long count, double tolerance)
{
  for (long i = 0; i < count; i++)
    if (!(fabs (x[i] - y[i]) <= tolerance * fmax (1, fmax (fabs (x[i]), fabs (y[i])))))
      return 0;
  return 1;
}
