/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Cuts a sequence of work into one contiguous range for each of several workers
   of different speeds.  Pure arithmetic.  */

#ifndef GOMP_AMP_PARTITION_H
#define GOMP_AMP_PARTITION_H 1

#pragma GCC visibility push(hidden)

struct gomp_amp_work
{
  /* A unit is not cut.  */
  unsigned units;
  /* The cost of all units before each one, on a worker of which SLOW is 1; the
     last of UNITS + 1 elements is the cost of all.  */
  const double *before;
  /* What a unit costs in addition, however fast its worker is; at least 0.  */
  double turn;
  /* The workers in the order of their ranges, and one by the speed of each.  */
  unsigned workers;
  const double *slow;
};

/* Find ranges with which the worker that ends last ends as early as possible,
   up to a millionth of the time that one worker would need for all.  Store in
   FIRST[w] the first unit of worker w, which may have none; FIRST[WORKERS] is
   UNITS.  */
extern void gomp_amp_partition (const struct gomp_amp_work *work,
				unsigned *first);

#pragma GCC visibility pop

#endif /* GOMP_AMP_PARTITION_H */
