/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A Fibonacci number by its definition: every call makes a task of each of the two it needs and
   waits for them, down to a depth below which calls are plain ones. Tasks of one level differ in
   length by powers of the golden ratio.

   Source: Duran, Teruel, Ferrer, Martorell, Ayguade, "Barcelona OpenMP Tasks Suite", ICPP 2009
   (Fib), with its cut-off by depth.

   Verified by the number as additions give it, and, so that no call is left out without a trace, by
   the number of calls that made no others, which is the Fibonacci number after it; exactly.  */

#include "bench.h"

/* What a call found: the number, and how many calls it came to that made no others.  */
struct found
{
  uint64_t number, leaves;
};

static struct found
sum (struct found a, struct found b)
{
  return (struct found){ a.number + b.number, a.leaves + b.leaves };
}

/* Not inlined into itself, as every compiler would do it to a depth of its own.  */
static __attribute__ ((noinline)) struct found
find_serially (long n)
{
  if (n < 2)
    return (struct found){ n, 1 };
  return sum (find_serially (n - 1), find_serially (n - 2));
}

/* The same by tasks, on the next DEPTH levels.  */
static struct found
find (long n, long depth)
{
  if (n < 2 || depth == 0)
    return find_serially (n);
  struct found a = { 0 }, b = { 0 };
#pragma omp task default(none) shared(a) firstprivate(n, depth)
  a = find (n - 1, depth - 1);
#pragma omp task default(none) shared(b) firstprivate(n, depth)
  b = find (n - 2, depth - 1);
#pragma omp taskwait
  return sum (a, b);
}

static struct found
find_in_parallel (long n, long depth)
{
  struct found found;
#pragma omp parallel default(none) shared(found) firstprivate(n, depth)
#pragma omp single
  found = find (n, depth);
  return found;
}

/* Fibonacci numbers N and N + 1, from the front.  */
static struct found
add_up (long n)
{
  struct found f = { 0, 1 };
  for (long i = 0; i < n; i++)
    f = (struct found){ f.leaves, f.number + f.leaves };
  return f;
}

int
main (int argc, char **argv)
{
  long size = 40, cutoff = 11, repeats = 1;
  bench_options (argc, argv, "Compute a Fibonacci number by a tree of tasks.",
      { "size", &size, 0, 60, "which Fibonacci number", NULL },
      { "cutoff", &cutoff, 0, 20, "levels of calls that are tasks", NULL },
      { "repeats", &repeats, 1, 1000000, "times that it is computed", NULL });

  /* Sums over the repeats, so that one that went wrong shows.  */
  struct found total = { 0 };
  bench_start ();
  for (long r = 0; r < repeats; r++)
    total = sum (total, find_in_parallel (size, cutoff));
  bench_stop ();

  struct found truth = add_up (size);
  bench_verify (total.number == truth.number * repeats && total.leaves == truth.leaves * repeats);
  return bench_result (NULL);
}
