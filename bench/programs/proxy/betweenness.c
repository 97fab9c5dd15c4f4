/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many shortest paths lead through each node, from a few nodes to all: level by level forward,
   counting paths, and back, adding up shares.  A loop a level, of few to most of the nodes.

   Source: Brandes, "A faster algorithm for betweenness centrality", 2001.

   Verified by the score of every node, to 1e-9, against Brandes's algorithm with a queue and a
   stack, which adds the shares up in another order.  */

#include "proxy.h"

#include <string.h>

enum
{
  MOST_LEVELS = 1000
};

/* ORDER has the nodes found, level by level.  PATHS are the shortest ones from the source, SHARE
   those to other nodes through this one, divided by all to each.  */
struct search
{
  int *level, *order;
  double *paths, *share, *score;
};

static void
begin (const struct proxy_graph *g, struct search *s, int source)
{
  for (long i = 0; i < g->nodes; i++)
    {
      s->level[i] = PROXY_UNSEEN;
      s->paths[i] = s->share[i] = 0;
    }
  s->level[source] = 0;
  s->paths[source] = 1;
  s->order[0] = source;
}

/* Count the paths through NODE to its targets, at DEPTH; list those that are new after *FOUND.  */
static inline void
count_paths (const struct proxy_graph *g, struct search *s, int node, int depth, long *found)
{
  for (long e = g->start[node]; e < g->start[node + 1]; e++)
    {
      int target = g->target[e], unseen = PROXY_UNSEEN;
      if (__atomic_compare_exchange_n (&s->level[target], &unseen, depth, 0, __ATOMIC_RELAXED,
				       __ATOMIC_RELAXED))
	s->order[__atomic_fetch_add (found, 1, __ATOMIC_RELAXED)] = target;
      else if (unseen != depth)
	continue;
#pragma omp atomic
      s->paths[target] += s->paths[node];
    }
}

static void
search (const struct proxy_graph *g, struct search *s, int source)
{
  long first[MOST_LEVELS + 2] = { 0, 1 };
  int levels = 1;
  for (; first[levels] > first[levels - 1] && levels <= MOST_LEVELS; levels++)
    {
      long found = first[levels];
#pragma omp parallel for
      for (long i = first[levels - 1]; i < first[levels]; i++)
	count_paths (g, s, s->order[i], levels, &found);
      first[levels + 1] = found;
    }
  for (int at = levels - 2; at >= 0; at--)
    {
#pragma omp parallel for
      for (long i = first[at]; i < first[at + 1]; i++)
	{
	  int node = s->order[i];
	  double share = 0;
	  for (long e = g->start[node]; e < g->start[node + 1]; e++)
	    if (s->level[g->target[e]] == at + 1)
	      share += s->paths[node] / s->paths[g->target[e]] * (1 + s->share[g->target[e]]);
	  s->share[node] = share;
	  if (node != source)
	    s->score[node] += share;
	}
    }
}

/* The same on one thread: ORDER is the queue, and then the stack.  */
static void
search_serially (const struct proxy_graph *g, struct search *s, int source)
{
  long end = 1;
  for (long head = 0; head < end; head++)
    for (long e = g->start[s->order[head]]; e < g->start[s->order[head] + 1]; e++)
      {
	int node = s->order[head], target = g->target[e];
	if (s->level[target] == PROXY_UNSEEN)
	  {
	    s->level[target] = s->level[node] + 1;
	    s->order[end++] = target;
	  }
	if (s->level[target] == s->level[node] + 1)
	  s->paths[target] += s->paths[node];
      }
  /* Last found first: a node's share goes to those before it, edge by edge.  */
  for (long at = end - 1; at >= 0; at--)
    {
      int node = s->order[at];
      for (long e = g->start[node + 1] - 1; e >= g->start[node]; e--)
	if (s->level[g->target[e]] == s->level[node] + 1)
	  s->share[node]
	    += (1 + s->share[g->target[e]]) * (s->paths[node] / s->paths[g->target[e]]);
      s->score[node] += node != source ? s->share[node] : 0;
    }
}

static struct search
make_search (long nodes)
{
  return (struct search){ .level = bench_allocate (nodes, sizeof (int)),
			  .order = bench_allocate (nodes, sizeof (int)),
			  .paths = bench_allocate (nodes, sizeof (double)),
			  .share = bench_allocate (nodes, sizeof (double)),
			  .score = bench_allocate (nodes, sizeof (double)) };
}

int
main (int argc, char **argv)
{
  struct proxy_graph g = { .nodes = 10000, .degree = 4 };
  long repeats = 8;
  bench_options (argc, argv, "Count the shortest paths through the nodes of a graph.",
      PROXY_GRAPH_OPTIONS (g, 2),
      { "repeats", &repeats, 1, 100000, "nodes at which paths begin", NULL });

  proxy_make_graph (&g, g.nodes);
  struct search s = make_search (g.nodes), expected = make_search (g.nodes);
  for (long r = 0; r < repeats; r++)
    {
      begin (&g, &s, proxy_source (&g, r));
      bench_start ();
      search (&g, &s, proxy_source (&g, r));
      bench_stop ();
      begin (&g, &expected, proxy_source (&g, r));
      search_serially (&g, &expected, proxy_source (&g, r));
    }
  bench_verify (memcmp (s.level, expected.level, g.nodes * sizeof (int)) == 0);
  bench_verify (proxy_alike (s.score, expected.score, g.nodes, 1e-9));
  return bench_result (NULL);
}
