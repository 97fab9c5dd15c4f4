/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A breadth-first search by lists: each level is one loop over the nodes of the frontier, which
   grows from one node to most of the graph and shrinks again.  Most levels are short.

   After the top-down search of Beamer, Asanovic, Patterson, "The GAP benchmark suite", 2015.

   Verified by the level of every node, exactly, against a search with a queue.  */

#include "proxy.h"

#include <string.h>

static void
begin (const struct proxy_graph *g, int *level, int *list, int source)
{
  for (long i = 0; i < g->nodes; i++)
    level[i] = PROXY_UNSEEN;
  level[source] = 0;
  list[0] = source;
}

/* Whether the caller is the first one to come to the node of LEVEL.  */
static inline int
claim (int *level, int depth)
{
  int unseen = PROXY_UNSEEN;
  return __atomic_load_n (level, __ATOMIC_RELAXED) == PROXY_UNSEEN
	 && __atomic_compare_exchange_n (level, &unseen, depth, 0, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED);
}

static void
search (const struct proxy_graph *g, int *level, int *frontier, int *next)
{
  long count = 1;
  for (int depth = 1; count > 0; depth++)
    {
      long found = 0;
#pragma omp parallel for
      for (long i = 0; i < count; i++)
	for (long e = g->start[frontier[i]]; e < g->start[frontier[i] + 1]; e++)
	  if (claim (&level[g->target[e]], depth))
	    next[__atomic_fetch_add (&found, 1, __ATOMIC_RELAXED)] = g->target[e];

      int *done = frontier;
      frontier = next;
      next = done;
      count = found;
    }
}

static void
search_serially (const struct proxy_graph *g, int *level, int *queue)
{
  for (long head = 0, end = 1; head < end; head++)
    for (long e = g->start[queue[head]]; e < g->start[queue[head] + 1]; e++)
      if (level[g->target[e]] == PROXY_UNSEEN)
	{
	  level[g->target[e]] = level[queue[head]] + 1;
	  queue[end++] = g->target[e];
	}
}

int
main (int argc, char **argv)
{
  struct proxy_graph g = { .nodes = 30000, .degree = 3 };
  long repeats = 12;
  bench_options (argc, argv, "Search a graph breadth first, by lists of nodes.",
      PROXY_GRAPH_OPTIONS (g, 1),
      { "repeats", &repeats, 1, 100000, "searches, each from another node", NULL });

  proxy_make_graph (&g, g.nodes);
  int *level = bench_allocate (g.nodes, sizeof *level);
  int *expected = bench_allocate (g.nodes, sizeof *expected);
  int *list = bench_allocate (g.nodes, sizeof *list);
  int *next = bench_allocate (g.nodes, sizeof *next);
  for (long r = 0; r < repeats; r++)
    {
      begin (&g, level, list, proxy_source (&g, r));
      bench_start ();
      search (&g, level, list, next);
      bench_stop ();
      begin (&g, expected, list, proxy_source (&g, r));
      search_serially (&g, expected, list);
      bench_verify (memcmp (level, expected, g.nodes * sizeof *level) == 0);
    }
  return bench_result (NULL);
}
