/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program of MPI and OpenMP whose threads call MPI as the level that the argument names permits:
   funneled: the initial thread, in master constructs between barriers and outside of regions;
   serialized: one thread at a time, in single and critical constructs.
   Each rank sends numbers around a ring and checks what comes, and that MPI takes the thread for
   the one that may call it.  Prints "RANK: THREADS threads on WORKERS workers".  */

#define _GNU_SOURCE 1
#include <mpi.h>
#include <omp.h>
#include <ompx_amp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma weak ompx_amp_get_num_workers

enum { ROUNDS = 40 };

static int rank, size;

static void
check (int holds, const char *what, long got, long wanted)
{
  if (holds)
    return;
  fprintf (stderr, "FAILED: rank %d: %s: %ld, not %ld\n", rank, what, got, wanted);
  MPI_Abort (MPI_COMM_WORLD, 1);
}

/* Pass VALUE to the next rank; check that the previous one passes the same with its own number.  */
static void
pass (long value)
{
  int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  long mine = value * size + rank, got;

  MPI_Sendrecv (&mine, 1, MPI_LONG, next, 0, &got, 1, MPI_LONG, previous, 0, MPI_COMM_WORLD,
		MPI_STATUS_IGNORE);
  check (got == value * size + previous, "from the previous rank", got, value * size + previous);
}

static void
check_main (void)
{
  int is_main;

  MPI_Is_thread_main (&is_main);
  check (is_main, "MPI_Is_thread_main", is_main, 1);
  check (omp_get_thread_num () == 0, "master", omp_get_thread_num (), 0);
}

static void
funneled (void)
{
  for (long round = 0; round < ROUNDS; round++)
    {
      long sum = 0;
      int threads = omp_get_max_threads ();

      /* Nobody waits for another thread.  */
#pragma omp parallel reduction(+ : sum)
      {
	sum += omp_get_thread_num ();
#pragma omp master
	{
	  check_main ();
	  pass (round);
	}
      }
      check (sum == threads * (threads - 1) / 2, "sum", sum, threads * (threads - 1) / 2);
#pragma omp parallel
      {
#pragma omp masked
	{
	  check_main ();
	  pass (sum);
	}
#pragma omp barrier
#pragma omp master
	pass (round);
#pragma omp barrier
      }
      pass (round);
    }
}

static void
serialized (void)
{
  int inside = 0;

  for (long round = 0; round < ROUNDS; round++)
    {
      long passed = 0, everyone = 0;
      int threads = omp_get_max_threads ();

#pragma omp parallel
      {
#pragma omp single
	{
	  pass (round);
	  passed++;
	}
#pragma omp critical
	{
	  check (__atomic_fetch_add (&inside, 1, __ATOMIC_RELAXED) == 0, "threads", inside, 1);
	  pass (everyone++);
	  __atomic_fetch_sub (&inside, 1, __ATOMIC_RELAXED);
	}
#pragma omp single nowait
	passed++;
      }
      check (passed == 2, "singles", passed, 2);
      check (everyone == threads, "criticals", everyone, threads);
#pragma omp parallel reduction(+ : passed)
#pragma omp critical
      {
	pass (round);
	passed++;
      }
      check (passed == 2 + threads, "criticals without a barrier", passed, 2 + threads);
    }
}

int
main (int argc, char **argv)
{
  int is_serialized = argc > 1 && strcmp (argv[1], "serialized") == 0;
  int wanted = is_serialized ? MPI_THREAD_SERIALIZED : MPI_THREAD_FUNNELED, provided;
  int threads = 0, workers = 0;

  MPI_Init_thread (&argc, &argv, wanted, &provided);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &size);
  check (provided >= wanted, "thread level", provided, wanted);
  if (is_serialized)
    serialized ();
  else
    funneled ();
#pragma omp parallel
#pragma omp master
  {
    threads = omp_get_num_threads ();
    workers = ompx_amp_get_num_workers != NULL ? ompx_amp_get_num_workers () : 0;
  }
  printf ("%d: %d threads on %d workers\n", rank, threads, workers);
  MPI_Finalize ();
  return 0;
}
