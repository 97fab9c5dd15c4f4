/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the MPI programs share: messages, and the time of a rank, in real time or on a virtual
   machine of its own.

   amp-emu virtual knows one process.  So each rank has a virtual machine of the cores in its mask.
   There a message carries the time of its sender, and a receive ends when the last message has come
   as far as virtual time goes, however long it really took.  Which rank waits for which one does
   not depend on time in these programs: ranks need to know no more of each other.  */

#ifndef RANKS_H
#define RANKS_H 1

#include <mpi.h>
#include <stdint.h>

/* COUNT numbers to or from RANK; of two messages between two ranks TAG says which one it is.  DATA
   has room for one more number, which is the sender's time.  */
struct message
{
  int rank, tag, count;
  double *data;
};

struct ranks
{
  int rank, size;
  /* The runtime keeps virtual time.  */
  int emulated;
  /* To add to the runtime's clock, so that it began at 0 and does not count the waiting that a
     virtual machine sees nothing of.  */
  double shift;
};

/* Start MPI, as a program of which only the initial thread calls it.  Exits with status 2 if that
   cannot be had.  */
void ranks_start (struct ranks *ranks, int *argc, char ***argv);

/* Set the clocks of all ranks to 0.  All call this together.  */
void ranks_reset_clock (struct ranks *ranks);

/* Send SENDS messages and receive RECEIVES others.  */
void ranks_exchange (struct ranks *ranks, int sends, const struct message *send, int receives,
		     const struct message *receive);

/* The time of the rank that comes last.  All call this together.  */
double ranks_read_clock (const struct ranks *ranks);

/* Store MINE of every rank in TABLE, which has a place for each.  All call this together.  */
void ranks_gather (long mine, long *table);

/* Have rank 0 print the result of a program that took SECONDS, which is right if the checksums MINE
   of all ranks add up to what EXPECTED returns, and end MPI.  Returns the exit status.  */
int ranks_end (const struct ranks *ranks, double seconds, uint64_t mine,
	       uint64_t (*expected) (void));

#endif
