/* SPDX-License-Identifier: GPL-3.0-or-later */
/* B+ tree of the Rodinia suite: a tree built key by key by one thread, then two parallel loops of
   queries in batches, for single keys and for ranges of very different lengths.

   Source: Comer, "The ubiquitous B-tree", ACM Computing Surveys 11(2), 1979; Fix, Wilkes, Skadron,
   "Accelerating braided B+ tree searches on a GPU with CUDA", A4MMC 2011, for the two kinds of
   queries; Che et al., "Rodinia", IISWC 2009.  The timed part includes the build.

   Verified by every answer, exactly, against tables of the values and of their sums by key.  */

#include "bench.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum
{
  /* Keys of a full node.  */
  ORDER = 64,
  /* More levels than a tree of any size has.  */
  LEVELS = 32,
  NONE = -1,
  /* Values are below this.  */
  VALUES = 1000,
  /* No range is shorter, and none longer than one LONGEST_SHARE-th of the keys.  */
  SHORTEST = 16,
  LONGEST_SHARE = 8
};

/* The share of ranges with at least n keys falls like n to this power.  */
static const double tail = -1.2;

static const uint64_t seed_shuffle = 1, seed_value = 2, seed_query = 3, seed_low = 4;
static const uint64_t seed_length = 5;

/* The keys of a node ascend.  An inner node has COUNT keys and COUNT + 1 children: the keys below
   child c + 1 are at least KEY[c], those below child c are less.  A leaf has a value for each key,
   and the index of the next leaf.  */
struct node
{
  int leaf, count, next;
  int key[ORDER];
  int at[ORDER + 1];
};

struct tree
{
  struct node *node;
  int nodes, root;
};

/* The keys are the even numbers below 2 * KEYS, in the order of insertion in KEY.  Query q asks for
   QUERY[q], which may be odd, range r for the keys from LOW[r] to, exclusive, HIGH[r].  BATCH of
   either are an iteration of a loop.  */
struct load
{
  long keys, queries, ranges, batch;
  int *key, *query, *low, *high;
};

/* The value of a query's key or NONE, and the sum of a range's values.  */
struct answers
{
  int *value;
  long *sum;
};

static int
value_of (int key)
{
  return bench_random (seed_value, key) % VALUES;
}

static void
make_load (struct load *l)
{
  l->key = bench_allocate (l->keys, sizeof (int));
  l->query = bench_allocate (l->queries, sizeof (int));
  l->low = bench_allocate (l->ranges, sizeof (int));
  l->high = bench_allocate (l->ranges, sizeof (int));

  for (long i = 0; i < l->keys; i++)
    {
      long other = bench_random (seed_shuffle, i) % (i + 1);
      l->key[i] = l->key[other];
      l->key[other] = 2 * i;
    }
  for (long q = 0; q < l->queries; q++)
    l->query[q] = bench_random (seed_query, q) % (2 * l->keys);
  for (long r = 0; r < l->ranges; r++)
    {
      double length = SHORTEST * pow (1 - bench_uniform (seed_length, r), 1 / tail);
      l->low[r] = bench_random (seed_low, r) % (2 * l->keys);
      l->high[r] = l->low[r] + 2 * (int) fmin (length, SHORTEST + l->keys / LONGEST_SHARE);
    }
}

/* How many of N's keys are less than KEY.  */
static inline int
keys_below (const struct node *n, int key)
{
  int low = 0, high = n->count;
  while (low < high)
    {
      int middle = (low + high) / 2;
      if (n->key[middle] < key)
	low = middle + 1;
      else
	high = middle;
    }
  return low;
}

/* The place in inner node N of the child that has KEY below it, if any has.  */
static inline int
child_of (const struct node *n, int key)
{
  return keys_below (n, key + 1);
}

/* The leaf that has KEY, if any has.  */
static inline const struct node *
leaf_of (const struct tree *t, int key)
{
  const struct node *n = &t->node[t->root];
  while (!n->leaf)
    n = &t->node[n->at[child_of (n, key)]];
  return n;
}

static int
new_node (struct tree *t, int leaf)
{
  t->node[t->nodes] = (struct node){ .leaf = leaf, .next = NONE };
  return t->nodes++;
}

/* Make room at PLACE and put KEY there, with AT, which in an inner node is the child behind
   KEY.  */
static void
put (struct node *n, int place, int key, int at)
{
  int behind = !n->leaf;
  for (int i = n->count; i > place; i--)
    {
      n->key[i] = n->key[i - 1];
      n->at[i + behind] = n->at[i - 1 + behind];
    }
  n->key[place] = key;
  n->at[place + behind] = at;
  n->count++;
}

/* Move the upper half of the full node INDEX to a new one, whose index is returned.  *SEPARATOR
   is the key to stand between both in their parent; an inner node gives it away.  */
static int
split (struct tree *t, int index, int *separator)
{
  int upper = new_node (t, t->node[index].leaf);
  struct node *from = &t->node[index], *to = &t->node[upper];
  int kept = ORDER / 2, given = !from->leaf;

  *separator = from->key[kept];
  to->count = ORDER - kept - given;
  for (int i = 0; i < to->count; i++)
    to->key[i] = from->key[kept + given + i];
  for (int i = 0; i < to->count + given; i++)
    to->at[i] = from->at[kept + given + i];
  from->count = kept;
  if (from->leaf)
    {
      to->next = from->next;
      from->next = upper;
    }
  return upper;
}

/* Insert KEY, which the tree does not have.  */
static void
insert (struct tree *t, int key, int value)
{
  int path[LEVELS], depth = 0, index = t->root;
  for (; !t->node[index].leaf; depth++)
    {
      path[depth] = index;
      index = t->node[index].at[child_of (&t->node[index], key)];
    }

  for (int at = value;;)
    {
      struct node *n = &t->node[index];
      put (n, keys_below (n, key), key, at);
      if (n->count < ORDER)
	return;
      at = split (t, index, &key);
      if (depth == 0)
	{
	  int root = new_node (t, 0);
	  t->node[root].at[0] = index;
	  put (&t->node[root], 0, key, at);
	  t->root = root;
	  return;
	}
      index = path[--depth];
    }
}

static void
build (struct tree *t, const struct load *l)
{
  t->nodes = 0;
  t->root = new_node (t, 1);
  for (long i = 0; i < l->keys; i++)
    insert (t, l->key[i], value_of (l->key[i]));
}

static int
find (const struct tree *t, int key)
{
  const struct node *n = leaf_of (t, key);
  int place = keys_below (n, key);
  return place < n->count && n->key[place] == key ? n->at[place] : NONE;
}

static long
sum_range (const struct tree *t, int low, int high)
{
  const struct node *n = leaf_of (t, low);
  long sum = 0;
  for (int i = keys_below (n, low);; i = 0)
    {
      for (; i < n->count; i++)
	if (n->key[i] < high)
	  sum += n->at[i];
	else
	  return sum;
      if (n->next == NONE)
	return sum;
      n = &t->node[n->next];
    }
}

static void
answer (const struct tree *t, const struct load *l, const struct answers *a)
{
#pragma omp parallel for
  for (long first = 0; first < l->queries; first += l->batch)
    for (long q = first; q < bench_least (first + l->batch, l->queries); q++)
      a->value[q] = find (t, l->query[q]);

#pragma omp parallel for
  for (long first = 0; first < l->ranges; first += l->batch)
    for (long r = first; r < bench_least (first + l->batch, l->ranges); r++)
      a->sum[r] = sum_range (t, l->low[r], l->high[r]);
}

/* The answers without a tree.  */
static void
answer_serially (const struct load *l, const struct answers *a)
{
  /* The sum of the values of the first i keys.  */
  long *sums = bench_allocate (l->keys + 1, sizeof *sums);
  for (long i = 0; i < l->keys; i++)
    sums[i + 1] = sums[i] + value_of (2 * i);
  for (long q = 0; q < l->queries; q++)
    a->value[q] = l->query[q] % 2 == 0 ? value_of (l->query[q]) : NONE;
  for (long r = 0; r < l->ranges; r++)
    {
      long first = (l->low[r] + 1L) / 2, end = (l->high[r] + 1L) / 2;
      a->sum[r] = sums[bench_least (end, l->keys)] - sums[bench_least (first, l->keys)];
    }
  free (sums);
}

static struct answers
new_answers (const struct load *l)
{
  return (struct answers){ bench_allocate (l->queries, sizeof (int)),
			   bench_allocate (l->ranges, sizeof (long)) };
}

static int
same_answers (const struct load *l, const struct answers *a, const struct answers *b)
{
  for (long q = 0; q < l->queries; q++)
    if (a->value[q] != b->value[q])
      return 0;
  for (long r = 0; r < l->ranges; r++)
    if (a->sum[r] != b->sum[r])
      return 0;
  return 1;
}

int
main (int argc, char **argv)
{
  struct load l = { .keys = 1000000, .queries = 2000000, .ranges = 400000, .batch = 32 };
  long repeats = 1;
  bench_options (argc, argv, "Build a B+ tree and query it.",
      { "size", &l.keys, 1, 1L << 28, "keys in the tree", NULL },
      { "queries", &l.queries, 1, 1L << 30, "queries for single keys", NULL },
      { "ranges", &l.ranges, 1, 1L << 30, "queries for ranges", NULL },
      { "batch", &l.batch, 1, 1L << 30, "queries of an iteration of a loop", NULL },
      { "repeats", &repeats, 1, 100000, "times the tree is built and queried", NULL });

  make_load (&l);
  struct answers expected = new_answers (&l), found = new_answers (&l);
  answer_serially (&l, &expected);

  /* A node but the root is at least half full, less one key.  */
  long nodes = l.keys / (ORDER / 2 - 1) * 2 + 3;
  struct tree t = { .node = bench_allocate (nodes, sizeof (struct node)) };
  for (long r = 0; r < repeats; r++)
    {
      for (long q = 0; q < l.queries; q++)
	found.value[q] = NONE - 1;
      for (long n = 0; n < l.ranges; n++)
	found.sum[n] = NONE;
      bench_start ();
      build (&t, &l);
      answer (&t, &l, &found);
      bench_stop ();
      bench_verify (same_answers (&l, &found, &expected));
    }
  return bench_result (NULL);
}
