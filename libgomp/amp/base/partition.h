/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Cuts a sequence of work into one contiguous range for each of several workers
   of different speeds.  Pure arithmetic.  */

#ifndef GOMP_AMP_PARTITION_H
#define GOMP_AMP_PARTITION_H 1

#pragma GCC visibility push(hidden)

struct gomp_amp_work
{
  /* How many units there are: iterations or threads.  A unit is not cut.  */
  unsigned long long units;
  /* The sequence consists of so many pieces of equal length, in each of which
     all units cost the same.  */
  unsigned pieces;
  /* The cost of all pieces before each one, on a worker of speed 1; the last of
     PIECES + 1 elements is the cost of all.  */
  const double *before;
  /* What a piece costs in addition, however fast its worker is; at least 0.  */
  double turn;
  /* The workers in the order of their ranges, and their speeds, which are
     positive.  */
  unsigned workers;
  const double *speed;
};

/* Find ranges with which the worker that ends last ends as early as possible,
   up to a millionth of the time that the fastest worker would need alone.
   Store in FIRST[w] the first unit of worker w, which may have none.  Returns
   when the last one ends.  */
extern double gomp_amp_partition (const struct gomp_amp_work *work,
				  unsigned long long *first);

#pragma GCC visibility pop

#endif /* GOMP_AMP_PARTITION_H */
