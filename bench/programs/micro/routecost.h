/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loops whose routing is measured: what they work on, and the table of them.  */

#ifndef ROUTECOST_H
#define ROUTECOST_H 1

/* Calls X for each number of iterations that is measured, with ARG.  For each there is a loop that
   has it as a constant.  */
#define ROUTECOST_COUNTS(X, ARG) \
  X (0, ARG) \
  X (1, ARG) \
  X (16, ARG) \
  X (64, ARG) \
  X (256, ARG) \
  X (1000, ARG) \
  X (10000, ARG) \
  X (100000, ARG) \
  X (1000000, ARG)

/* The arrays of the loops, and what they add and multiply with, which no compiler knows.  */
struct data
{
  int *y;
  const int *x, *where;
  float *real_y;
  const float *real_x;
  int c;
  float real_c;
};

/* A loop over the first N elements; of a plane of elements, over WIDTH times N / WIDTH of them.
   Called by every thread of a team, except in the form "parallel".  */
typedef void loop_function (const struct data *d, long n, long width);

/* How a loop's results can be told; see routecost.c.  */
enum effect
{
  ADDS_C,
  ADDS_PRODUCT,
  STORES_INDEX,
  STORES_GATHERED,
  SUMS
};

struct loop
{
  const char *name;
  /* "for": in a running team, with its barrier; "nowait": without one; "parallel": a combined
     parallel loop, with a team of its own.  */
  const char *form;
  loop_function *run;
  enum effect effect;
  /* The only number of iterations that it has, or -1.  */
  long only;
};

/* Ends in an entry without a name.  */
extern const struct loop routecost_loops[];

/* What the loops that sum add to.  */
extern int routecost_sum;

#endif
