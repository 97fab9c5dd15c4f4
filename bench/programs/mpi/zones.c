/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Zones of one grid, the largest twenty times as large as the smallest, in a ring.  A step solves
   tridiagonal systems along the rows of each zone, then along its columns, by static loops; then
   zones give their outermost columns to the next and to the previous zone.  The zones are dealt out
   to ranks whole.  The idea is that of the multi-zone benchmarks of NPB (NAS-03-010), the program
   is not.  Only the initial thread calls MPI: MPI_THREAD_FUNNELED.  */

#include "ranks.h"

#include "bench.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

static long zones = 16, rows = 480, columns = 4800, ratio = 20, steps = 40, capacity = 1;

/* Steps before the clock starts: the first region makes the threads, and each loop is new.  */
enum { WARM_UP = 3 };

/* ROWS rows of WIDTH numbers.  Of the columns beside it, LEFT and RIGHT, it has copies.  */
struct zone
{
  long width, owner;
  double *grid, *left, *right;
  /* Messages with its outermost columns.  */
  double *to_left, *to_right;
};

/* Solve -x[i-1] + 4 x[i] - x[i+1] = d[i] for the N numbers at D, STRIDE apart, where BEFORE and
   AFTER are the x next to them.  SCRATCH is for N numbers.  */
static inline void
solve (double *d, long n, long stride, double before, double after, double *scratch)
{
  double last = before, c = 0;

  for (long i = 0; i < n; i++)
    {
      c = 1 / (4 - c);
      scratch[i] = c;
      last = d[i * stride] = (d[i * stride] + last) * c;
    }
  last = after;
  for (long i = n - 1; i >= 0; i--)
    last = d[i * stride] += scratch[i] * last;
}

static void
advance (struct zone *zone)
{
  long width = zone->width, most = width > rows ? width : rows;

#pragma omp parallel
  {
    double scratch[most];

#pragma omp for schedule(static)
    for (long r = 0; r < rows; r++)
      solve (zone->grid + r * width, width, 1, zone->left[r], zone->right[r], scratch);
  }
#pragma omp parallel
  {
    double scratch[most];

#pragma omp for schedule(static)
    for (long c = 0; c < width; c++)
      {
	solve (zone->grid + c, rows, width, 0, 0, scratch);
	for (long r = 0; r < rows; r++)
	  zone->grid[r * width + c] = 3 * zone->grid[r * width + c] + 1;
      }
  }
}

/* The widths of all zones grow by the same factor, up to RATIO times the first one.  */
static struct zone *
make_zones (void)
{
  struct zone *zone = bench_allocate (zones, sizeof *zone);
  double factor = zones > 1 ? pow (ratio, 1.0 / (zones - 1)) : 1, sum = 0;

  for (long z = 0; z < zones; z++)
    sum += pow (factor, z);
  for (long z = 0; z < zones; z++)
    {
      zone[z].width = lround (columns * pow (factor, z) / sum);
      if (zone[z].width < 2)
	zone[z].width = 2;
    }
  return zone;
}

static void
fill_zone (struct zone *zone, long number)
{
  double **const column[] = { &zone->left, &zone->right, &zone->to_left, &zone->to_right };

  zone->grid = bench_allocate (rows * zone->width, sizeof *zone->grid);
  for (int i = 0; i < 4; i++)
    *column[i] = bench_allocate (rows + 1, sizeof (double));
  for (long i = 0; i < rows * zone->width; i++)
    zone->grid[i] = bench_uniform (number, i);
}

/* Give each zone, the largest first, to the rank that then has the least to do for its capacity, of
   which TABLE has those of SIZE ranks.  Zones get larger.  */
static void
deal_zones (struct zone *zone, const long *table, int size)
{
  double *load = bench_allocate (size, sizeof *load);

  for (long z = zones - 1; z >= 0; z--)
    {
      int best = 0;

      for (int i = 1; i < size; i++)
	if ((load[i] + zone[z].width) / table[i] < (load[best] + zone[z].width) / table[best])
	  best = i;
      load[best] += zone[z].width;
      zone[z].owner = best;
    }
  free (load);
}

static void
copy_column (double *to, const struct zone *zone, long column)
{
  for (long r = 0; r < rows; r++)
    to[r] = zone->grid[r * zone->width + column];
}

/* The next zone of each and the previous one get its outermost columns.  */
static void
exchange (struct ranks *ranks, struct zone *zone)
{
  struct message *send = bench_allocate (2 * zones, sizeof *send);
  struct message *receive = bench_allocate (2 * zones, sizeof *receive);
  int sends = 0, receives = 0;

  for (long z = 0; z < zones; z++)
    {
      struct zone *one = &zone[z], *next = &zone[(z + 1) % zones];

      if (one->owner == ranks->rank)
	copy_column (next->owner == ranks->rank ? next->left : one->to_right, one, one->width - 1);
      if (next->owner == ranks->rank)
	copy_column (one->owner == ranks->rank ? one->right : next->to_left, next, 0);
      if (one->owner == next->owner)
	continue;
      if (one->owner == ranks->rank)
	{
	  send[sends++] = (struct message) { next->owner, 2 * z, rows, one->to_right };
	  receive[receives++] = (struct message) { next->owner, 2 * z + 1, rows, one->right };
	}
      if (next->owner == ranks->rank)
	{
	  send[sends++] = (struct message) { one->owner, 2 * z + 1, rows, next->to_left };
	  receive[receives++] = (struct message) { one->owner, 2 * z, rows, next->left };
	}
    }
  ranks_exchange (ranks, sends, send, receives, receive);
  free (receive);
  free (send);
}

static void
run_step (struct ranks *ranks, struct zone *zone)
{
  for (long z = 0; z < zones; z++)
    if (zone[z].owner == ranks->rank)
      advance (&zone[z]);
  exchange (ranks, zone);
}

/* A sum over the zones of RANK that does not depend on who has which.  */
static uint64_t
checksum (const struct zone *zone, int rank)
{
  uint64_t sum = 0, bits;

  for (long z = 0; z < zones; z++)
    for (long i = 0; zone[z].owner == rank && i < rows * zone[z].width; i++)
      {
	memcpy (&bits, &zone[z].grid[i], sizeof bits);
	sum += bits * (2 * (uint64_t) (z * columns * rows + i) + 1);
      }
  return sum;
}

/* The checksum after all steps, by this rank alone.  */
static uint64_t
expected (void)
{
  struct zone *zone = make_zones ();
  struct ranks alone = { .rank = 0, .size = 1 };
  int threads = omp_get_max_threads ();

  for (long z = 0; z < zones; z++)
    fill_zone (&zone[z], z);
  omp_set_num_threads (1);
  for (long step = 0; step < WARM_UP + steps; step++)
    run_step (&alone, zone);
  omp_set_num_threads (threads);
  return checksum (zone, 0);
}

int
main (int argc, char **argv)
{
  struct ranks ranks;

  ranks_start (&ranks, &argc, &argv);
  bench_options (argc, argv, "Solve systems in zones that are distributed over ranks.",
      { "zones", &zones, 1, 1000, "zones", NULL },
      { "rows", &rows, 2, 1 << 16, "rows of each zone", NULL },
      { "columns", &columns, 2, 1 << 16, "columns of all zones together", NULL },
      { "ratio", &ratio, 1, 1000, "how much wider the last zone is than the first", NULL },
      { "steps", &steps, 1, 1 << 20, "steps that are timed", NULL },
      { "capacity", &capacity, 1, 1 << 20, "of this rank: zones are distributed by it", NULL });
  long *table = bench_allocate (ranks.size, sizeof *table);
  ranks_gather (capacity, table);
  struct zone *zone = make_zones ();
  deal_zones (zone, table, ranks.size);
  for (long z = 0; z < zones; z++)
    if (zone[z].owner == ranks.rank)
      fill_zone (&zone[z], z);

  for (long step = 0; step < WARM_UP + steps; step++)
    {
      if (step == WARM_UP)
	ranks_reset_clock (&ranks);
      run_step (&ranks, zone);
    }
  double seconds = ranks_read_clock (&ranks);

  return ranks_end (&ranks, seconds, checksum (zone, ranks.rank), expected);
}
