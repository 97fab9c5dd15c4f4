/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages of the MPI programs, and their time.  */

#define _GNU_SOURCE 1
#include "ranks.h"

#include "bench.h"

#include <ompx_amp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#pragma weak ompx_amp_get_topology_source

/* From a send to the end of its receive, between two processes on one chip.  */
static const double latency = 1e-6, bytes_per_second = 5e9;

/* A rank that waits leaves the real CPU to others, which share it on the lab's machines.  */
static const struct timespec pause = { .tv_nsec = 200000 };

static double
now (const struct ranks *ranks)
{
  return bench_now () + ranks->shift;
}

void
ranks_start (struct ranks *ranks, int *argc, char ***argv)
{
  int provided;

  MPI_Init_thread (argc, argv, MPI_THREAD_FUNNELED, &provided);
  if (provided < MPI_THREAD_FUNNELED)
    {
      fprintf (stderr, "MPI_Init_thread: level %d: expected MPI_THREAD_FUNNELED; nothing was run\n",
	       provided);
      exit (2);
    }
  MPI_Comm_rank (MPI_COMM_WORLD, &ranks->rank);
  MPI_Comm_size (MPI_COMM_WORLD, &ranks->size);
  ranks->emulated = (ompx_amp_get_topology_source != NULL
		     && strcmp (ompx_amp_get_topology_source (), "virtual machine") == 0);
}

void
ranks_reset_clock (struct ranks *ranks)
{
  MPI_Barrier (MPI_COMM_WORLD);
  ranks->shift = -bench_now ();
}

/* Wait for COUNT REQUESTS.  */
static void
wait_for (const struct ranks *ranks, int count, MPI_Request *requests)
{
  int done = 0;

  if (!ranks->emulated)
    MPI_Waitall (count, requests, MPI_STATUSES_IGNORE);
  else
    while (MPI_Testall (count, requests, &done, MPI_STATUSES_IGNORE), !done)
      nanosleep (&pause, NULL);
}

void
ranks_exchange (struct ranks *ranks, int sends, const struct message *send, int receives,
		const struct message *receive)
{
  MPI_Request *requests = bench_allocate (sends + receives, sizeof *requests);
  double begun = now (ranks), end = begun;

  for (int i = 0; i < receives; i++)
    MPI_Irecv (receive[i].data, receive[i].count + 1, MPI_DOUBLE, receive[i].rank, receive[i].tag,
	       MPI_COMM_WORLD, &requests[i]);
  for (int i = 0; i < sends; i++)
    {
      send[i].data[send[i].count] = begun;
      MPI_Isend (send[i].data, send[i].count + 1, MPI_DOUBLE, send[i].rank, send[i].tag,
		 MPI_COMM_WORLD, &requests[receives + i]);
    }
  wait_for (ranks, sends + receives, requests);
  free (requests);
  if (!ranks->emulated)
    return;
  for (int i = 0; i < receives; i++)
    {
      double bytes = receive[i].count * sizeof (double);
      double come = receive[i].data[receive[i].count] + latency + bytes / bytes_per_second;

      if (come > end)
	end = come;
    }
  ranks->shift += end - now (ranks);
}

double
ranks_read_clock (const struct ranks *ranks)
{
  double mine = now (ranks), last;

  MPI_Allreduce (&mine, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return last;
}

void
ranks_gather (long mine, long *table)
{
  MPI_Allgather (&mine, 1, MPI_LONG, table, 1, MPI_LONG, MPI_COMM_WORLD);
}

int
ranks_end (const struct ranks *ranks, double seconds, uint64_t mine, uint64_t (*expected) (void))
{
  uint64_t sum;
  int status = 0;

  MPI_Reduce (&mine, &sum, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (ranks->rank == 0)
    {
      char extra[64];

      snprintf (extra, sizeof extra, "ranks=%d", ranks->size);
      status = bench_print_result (seconds, sum == expected (), extra);
    }
  MPI_Finalize ();
  return status;
}
