/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts the nodes of an unbalanced tree by a task for every node: the root has many children, and
   every other node has CHILDREN with a probability that lets the tree just end, or none. It is
   unknown before how large the part of the tree below a node is.

   Source: Olivier, Huan, Liu, Prins, Dinan, Sadayappan, Tseng, "UTS: An Unbalanced Tree Search
   Benchmark", LCPC 2006 (its binomial trees), as in the Barcelona OpenMP Tasks Suite.

   Verified by a serial search with a stack of its own: as many nodes, and the same sum of their
   random numbers; exactly.  */

#include "bench.h"

#include <stdlib.h>

enum
{
  CHILDREN = 8,
  /* A node has children if its number is below this, of a million: 0.992 of them in the mean.  */
  PARENTS = 124000,
  MILLION = 1000000
};

/* How many nodes there are below and with one, and the sum of their random numbers.  */
struct count
{
  uint64_t nodes, sum;
};

/* The number of child CHILD of the node with NUMBER. WORK times more is drawn: a node's work.  */
static uint64_t
child_number (uint64_t number, long child, long work)
{
  uint64_t drawn = bench_random (number, child);
  for (long i = 0; i < work; i++)
    drawn = bench_random (drawn, child);
  return drawn;
}

static long
children (uint64_t number)
{
  return number % MILLION < PARENTS ? CHILDREN : 0;
}

/* Count the node with NUMBER, which has WIDTH children, and all below it.  */
static struct count
search (uint64_t number, long width, long work)
{
  struct count found = { 1, number };
  if (width == 0)
    return found;
  struct count below[width];
  for (long i = 0; i < width; i++)
    {
#pragma omp task default(none) shared(below) firstprivate(number, i, work)
      {
	uint64_t child = child_number (number, i, work);
	below[i] = search (child, children (child), work);
      }
    }
#pragma omp taskwait
  for (long i = 0; i < width; i++)
    {
      found.nodes += below[i].nodes;
      found.sum += below[i].sum;
    }
  return found;
}

static struct count
search_in_parallel (uint64_t seed, long width, long work)
{
  struct count found;
#pragma omp parallel default(none) shared(found) firstprivate(seed, width, work)
#pragma omp single
  found = search (seed, width, work);
  return found;
}

static struct count
search_serially (uint64_t seed, long width, long work)
{
  size_t room = 1024, waiting = 0;
  uint64_t *stack = malloc (room * sizeof *stack);
  struct count found = { 0, 0 };
  uint64_t number = seed;
  for (;;)
    {
      if (room < waiting + width)
	{
	  room = 2 * (waiting + width);
	  stack = realloc (stack, room * sizeof *stack);
	}
      if (stack == NULL)
	abort ();
      for (long i = 0; i < width; i++)
	stack[waiting++] = child_number (number, i, work);
      found.nodes++;
      found.sum += number;
      if (waiting == 0)
	break;
      number = stack[--waiting];
      width = children (number);
    }
  free (stack);
  return found;
}

int
main (int argc, char **argv)
{
  long width = 2000, seed = 3, work = 40;
  bench_options (argc, argv, "Count the nodes of an unbalanced tree by tasks.",
      { "width", &width, 1, 1000000, "children of the root", NULL },
      { "seed", &seed, 0, 1000000, "which tree", NULL },
      { "work", &work, 0, 1000000, "further numbers drawn for each node", NULL });

  bench_start ();
  struct count found = search_in_parallel (seed, width, work);
  bench_stop ();
  struct count truth = search_serially (seed, width, work);
  bench_verify (found.nodes == truth.nodes && found.sum == truth.sum);
  return bench_result (NULL);
}
