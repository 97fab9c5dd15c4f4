/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In how many ways N queens stand on a board of N rows and columns without attacking each other: a
   task for every placement of a row's queen, down to a depth below which the search is serial.
   What the tasks find is added up by a task reduction, and only its taskgroup waits for them.

   Source: Duran, Teruel, Ferrer, Martorell, Ayguade, "Barcelona OpenMP Tasks Suite", ICPP 2009
   (NQueens, all solutions, with its cut-off by depth).

   Verified by the known numbers of solutions, and by a serial search that keeps the attacked
   squares of a row as bits: as many solutions, and the same sum of random numbers that belong to
   them; exactly.  */

#include "bench.h"

enum
{
  SEED = 8,
  /* Rows at most: a solution is known by 64 bits, of which each row has its share.  */
  ROWS = 16,
  ROW_BITS = 4
};

/* What a search adds to: the number of solutions, and the sum of their random numbers.  */
enum
{
  SOLUTIONS,
  MARKS,
  SUMS
};

/* A board whose first PLACED rows have their queens, in these columns.  */
struct board
{
  int rows, placed;
  signed char column[ROWS];
};

/* Whether no queen attacks this column of the first row without one.  */
static int
is_safe (const struct board *b, int column)
{
  for (int row = 0; row < b->placed; row++)
    {
      int aside = b->column[row] - column, above = b->placed - row;
      if (aside == 0 || aside == above || aside == -above)
	return 0;
    }
  return 1;
}

static void
place (struct board *b, int column)
{
  b->column[b->placed++] = column;
}

/* Add to FOUND the solution whose columns are the digits of CODE.  */
static void
add_solution (uint64_t code, uint64_t *found)
{
  found[SOLUTIONS]++;
  found[MARKS] += bench_random (SEED, code);
}

/* Add the solutions that B can be completed to.  */
static void
search_serially (struct board *b, uint64_t *found)
{
  if (b->placed == b->rows)
    {
      uint64_t code = 0;
      for (int row = 0; row < b->rows; row++)
	code = code << ROW_BITS | b->column[row];
      add_solution (code, found);
      return;
    }
  for (int column = 0; column < b->rows; column++)
    if (is_safe (b, column))
      {
	place (b, column);
	search_serially (b, found);
	b->placed--;
      }
}

/* The same by tasks, until DEPTH rows have their queens.  */
static void
search (struct board *b, int depth, uint64_t *found)
{
  if (b->placed == depth || b->placed == b->rows)
    {
      search_serially (b, found);
      return;
    }
  for (int column = 0; column < b->rows; column++)
    if (is_safe (b, column))
      {
	struct board next = *b;
	place (&next, column);
#pragma omp task default(none) firstprivate(next, depth) in_reduction(+ : found[ : SUMS])
	search (&next, depth, found);
      }
}

/* Add all solutions. The first call adds nothing itself, which it must not do outside a task: the
   sums are the reduction's until the taskgroup's end.  */
static void
search_in_parallel (int rows, int depth, uint64_t *found)
{
#pragma omp parallel default(none) firstprivate(rows, depth, found)
#pragma omp single
  {
    struct board empty = { .rows = rows };
#pragma omp taskgroup task_reduction(+ : found[ : SUMS])
    search (&empty, depth, found);
  }
}

/* Add all solutions by bits: COLUMNS has those taken, RISING and FALLING those of the next row that
   the diagonals take; CODE's digits are the columns so far.  */
static void
search_by_bits (unsigned all, unsigned columns, unsigned rising, unsigned falling, uint64_t code,
		uint64_t *found)
{
  if (columns == all)
    {
      add_solution (code, found);
      return;
    }
  unsigned unattacked = all & ~(columns | rising | falling);
  for (; unattacked != 0; unattacked &= unattacked - 1)
    {
      unsigned queen = unattacked & -unattacked;
      search_by_bits (all, columns | queen, (rising | queen) << 1, (falling | queen) >> 1,
		      code << ROW_BITS | __builtin_ctz (queen), found);
    }
}

static int
verify (const uint64_t *total, int rows, long repeats)
{
  static const uint64_t known[ROWS + 1]
    = { 1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512 };
  uint64_t found[SUMS] = { 0 };
  search_by_bits ((1u << rows) - 1, 0, 0, 0, 0, found);
  return found[SOLUTIONS] == known[rows] && total[SOLUTIONS] == found[SOLUTIONS] * repeats
	 && total[MARKS] == found[MARKS] * repeats;
}

int
main (int argc, char **argv)
{
  long size = 13, depth = 3, repeats = 1;
  bench_options (argc, argv, "Count the ways to place queens that do not attack each other.",
      { "size", &size, 1, ROWS, "queens", NULL },
      { "depth", &depth, 1, ROWS, "rows whose queens are placed by tasks", NULL },
      { "repeats", &repeats, 1, 1000000, "times that all solutions are searched for", NULL });

  /* Sums over the repeats, so that one that went wrong shows.  */
  uint64_t total[SUMS] = { 0 };
  bench_start ();
  for (long r = 0; r < repeats; r++)
    search_in_parallel (size, depth, total);
  bench_stop ();
  bench_verify (verify (total, size, repeats));
  return bench_result (NULL);
}
