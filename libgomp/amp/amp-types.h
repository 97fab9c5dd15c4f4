/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* What the fork adds to the structures of libgomp.h.  */

#ifndef GOMP_AMP_TYPES_H
#define GOMP_AMP_TYPES_H 1

#include <stdbool.h>

/* Bit 30 of enum gomp_schedule_type marks a kind of the fork.  Bit 31 is
   GFS_MONOTONIC.  */
#define GFS_AMP 0x40000000

/* The enumerators of the fork: those of schedules.def, and one that exists
   only between the start of a loop and its work share.  */
#define GOMP_AMP_SCHEDULE(ident, name, kind, ...) GFS_##ident = kind,
enum
{
#include "schedules.def"
  /* aid_dynamic with neither m nor M on a team of one class: every thread
     takes chunks that it times by itself.  No schedule has its number, 0.  */
  GFS_AMP_EVEN = GFS_AMP
};

/* Why a schedule(runtime) loop runs as what it does.  One of the first three
   says who chose its schedule; the others, what became of that.  */
enum gomp_amp_why
{
  /* run-sched-var, which OMP_SCHEDULE and omp_set_schedule set.  */
  GOMP_AMP_BY_ICV = 0,
  /* GOMP_AMP_SCHEDULE, for a loop that the compiler routed.  */
  GOMP_AMP_BY_OPTION = 1,
  /* Nobody: it is the default of loops that the compiler routed.  */
  GOMP_AMP_BY_DEFAULT = 2,

  /* OpenMP's auto is static.  */
  GOMP_AMP_AUTO_IS_STATIC = 4,
  /* The team's cores are of one class.  */
  GOMP_AMP_CORES_ALIKE = 8,
  /* An ordered or doacross loop keeps upstream's schedules.  */
  GOMP_AMP_ORDERED = 16,
  /* There was no memory for the loop's state, or the target has no counter that
     needs no lock: it is dynamic.  */
  GOMP_AMP_NO_STATE = 32
};

/* Values of gomp_team_state.static_trip that say that this thread's loop has
   no work share: its one block is done, or chunked blocks may follow.
   Upstream counts up from 0, and has -1.  */
#define GOMP_AMP_STATIC_DONE (-2UL)
#define GOMP_AMP_STATIC_CHUNKED (-3UL)

/* Values of gomp_team.amp_asymmetric; those that say no come first.  */
enum gomp_amp_asymmetric
{
  /* The team is not started yet.  */
  GOMP_AMP_UNDECIDED,
  GOMP_AMP_SYMMETRIC,
  GOMP_AMP_ASYMMETRIC,
  /* The classes of cores were not known yet when the team was started.  */
  GOMP_AMP_UNKNOWN
};

struct gomp_amp_allotment;

/* Where a team is: what the process could use when it was started, and the
   places that its threads are bound to, as gomp_team_start computes them,
   numbered from 0: COUNT of the LENGTH places that begin at OFFSET, going round
   from FIRST on, where the team's first thread is; or one of each of COUNT
   parts, if SPREAD.  A COUNT of 0 says that they are not bound, or that nobody
   knows where.  */
struct gomp_amp_places
{
  /* Read once a team, so that all that is decided for it is decided by the same
     one; NULL if the machine was not known.  */
  const struct gomp_amp_allotment *allotment;
  unsigned long offset, length, first, count;
  bool spread;
  /* The CPU of the thread that starts the team; negative if it has no place
     yet.  */
  int cpu;
};

/* What a thread keeps of the loop that it is in.  Lies in gomp_team_state, so
   that a nested parallel region saves and restores it.  */
struct gomp_amp_thread
{
  /* The loop instance that the rest belongs to; no two instances in the life
     of a process have the same, and none has 0.  Threads of a combined
     parallel loop call *_next without *_start, so that comparing this is the
     one way to see that a loop is new.  */
  unsigned long long generation;

  /* Why the loop that the thread started last runs as what it does: a set of
     enum gomp_amp_why, of a schedule(runtime) loop.  */
  enum gomp_amp_why why : 8;

  /* Of an AID loop.  */
  unsigned char state;
  unsigned char cls;
  /* log2 of twice the team's size, rounded up.  */
  unsigned char shift;
  /* The part of what is left that is taken at once, if not more than UNIT:
     this / 2^32.  */
  unsigned weight;

  union
  {
    /* An AID loop.  */
    struct
    {
      /* Iterations run so far: delta_i of the paper.  */
      unsigned long long taken;
      /* Those of the last block; and the clock when that began, if it is
	 timed.  */
      unsigned long long block, since;
      /* What the last removal left in the pool.  */
      unsigned long long rest;
      /* The sample: iterations, and their time.  The same of the first sample,
	 while there is a second.  */
      unsigned long long sampled, sampled_ns;
      unsigned long long first, first_ns;
      /* The most iterations to take at once where no allotment is due.  */
      unsigned long long unit;
      /* TAKEN at which sampling ends.  */
      unsigned long long limit;
      /* The phase last counted in, and the last one seen since.  */
      unsigned phase, published;
    };

    /* A chunked static loop without work share, in its own number space: the
       trip count, the distance between this thread's chunks, and its next.  */
    struct
    {
      unsigned long long ni, stride, at, chunk;
      unsigned long long base, incr, end;
    };
  };
};

struct gomp_amp_loop;

/* What a team keeps of its tasks for GOMP_TASK_SCHEDULE=fifo; protected by its
   task_lock.  */
struct gomp_amp_tasks
{
  /* How many tasks became ready so far.  */
  unsigned long long ready;
  /* How many can't be started before others end, which depend clauses say.  */
  unsigned blocked;
  /* How many threads sleep that wait for tasks elsewhere than in a barrier, and
     that no ready task has woken.  Read without the lock, too.  */
  unsigned sleepers;
  /* Whether a task with a detach clause was created.  */
  bool detach;
};

#endif /* GOMP_AMP_TYPES_H */
