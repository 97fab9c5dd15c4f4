/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* What the fork adds to the structures of libgomp.h.  */

#ifndef GOMP_AMP_TYPES_H
#define GOMP_AMP_TYPES_H 1

#include <stdbool.h>

/* Bit 30 of enum gomp_schedule_type marks a kind of the fork.  Bit 31 is
   GFS_MONOTONIC.  */
#define GFS_AMP 0x40000000

/* The enumerators of the fork: those of schedules.def, the number after them,
   and one that no user can choose.  */
#define GOMP_AMP_SCHEDULE(ident, name, kind, ...) GFS_##ident = kind,
enum
{
#include "options/schedules.def"
  GFS_AMP_END,
  /* aid_dynamic with neither m nor M on a team of one class: every thread takes
     chunks that it times by itself.  No row of schedules.def has its number,
     0.  */
  GFS_AMP_EVEN = GFS_AMP
};

/* Why a schedule(runtime) loop runs as what it does.  One of the first three is
   who chose its schedule; the others are what became of that.  */
enum gomp_amp_why
{
  /* run-sched-var, which OMP_SCHEDULE and omp_set_schedule set.  */
  GOMP_AMP_BY_ICV = 0,
  /* GOMP_AMP_SCHEDULE, for a loop that the compiler routed.  */
  GOMP_AMP_BY_OPTION = 1,
  /* No one: it is the default of loops that the compiler routed.  */
  GOMP_AMP_BY_DEFAULT = 2,

  /* OpenMP's auto is static.  */
  GOMP_AMP_AUTO_IS_STATIC = 4,
  /* The team's cores are of one class.  */
  GOMP_AMP_CORES_ALIKE = 8,
  /* An ordered or doacross loop keeps upstream's schedules.  */
  GOMP_AMP_ORDERED = 16,
  /* There was no memory for the loop's state, or the target has no lock-free
     counter: the loop is dynamic.  */
  GOMP_AMP_NO_STATE = 32
};

/* The value of gomp_team_state.static_trip for a thread whose loop is a static
   one without a work share; the rest is in gomp_amp_thread.  It stands there as
   upstream resets that field wherever a loop may begin.  Upstream counts up
   from 0 and also uses -1.  */
#define GOMP_AMP_STATIC (-2UL)

/* Values of gomp_team.amp_asymmetric.  Those that mean no come first.  */
enum gomp_amp_asymmetric
{
  /* The team has not started yet.  */
  GOMP_AMP_UNDECIDED,
  GOMP_AMP_SYMMETRIC,
  GOMP_AMP_ASYMMETRIC,
  /* The classes of cores were not known yet when the team started.  */
  GOMP_AMP_UNKNOWN
};

/* Of so many classes a team knows which threads are of each.  */
#define GOMP_AMP_TEAM_CLASSES 4

struct gomp_amp_allotment;
struct gomp_ompt_region;
struct gomp_ompt_task;

/* Where a team is: what the process could use when the team started, and the
   places that the team's threads are bound to, as gomp_team_start computes
   them.

   Places are numbered from 0.  The team has COUNT of the LENGTH places that
   begin at OFFSET, taken in a circle from FIRST on, where the team's first
   thread is.  If SPREAD, it has one place of each of COUNT parts of these
   instead.  A COUNT of 0 means that the threads are not bound, or that their
   places are not known.  */
struct gomp_amp_places
{
  /* Read once a team, so that the same one is the basis of all decisions for
     the team; NULL if the machine was not known.  */
  const struct gomp_amp_allotment *allotment;
  unsigned long offset, length, first, count;
  bool spread;
  /* The CPU of the thread that starts the team; negative if it has no place
     yet.  */
  int cpu;
};

/* A thread's data about the loop that it is in.  Part of gomp_team_state, so
   that a nested parallel region saves and restores it.  */
struct gomp_amp_thread
{
  /* The loop instance that the rest belongs to.  No two instances in the life
     of a process have the same generation, and none has 0.  Threads of a
     combined parallel loop call *_next without *_start, so comparing this is
     the only way to see that a loop is new.  */
  unsigned long long generation;

  /* Why the schedule(runtime) loop that the thread started last runs as what it
     does: a set of enum gomp_amp_why.  */
  enum gomp_amp_why why : 8;

  /* For an AID loop.  */
  unsigned char state;
  unsigned char cls;
  /* The run of the loop is timed (loop-plan.h).  */
  bool timed;
  /* log2 of twice the team's size, rounded up.  */
  unsigned char shift;
  /* The part of the rest that is taken at once, if not more than UNIT: this /
     2^32.  */
  unsigned weight;

  union
  {
    /* An AID loop.  */
    struct
    {
      /* Iterations taken so far: delta_i of the paper.  */
      unsigned long long taken;
      /* The iterations of the last block; and the clock when that block began,
	 if it is timed.  */
      unsigned long long block, since;
      /* The iterations that the last removal left in the pool.  */
      unsigned long long rest;
      /* The iterations of the sample, and their time; then the same of the
	 first sample, while there is a second.  */
      unsigned long long sampled, sampled_ns;
      unsigned long long first, first_ns;
      /* The most iterations to take at once if no allotment is due.  */
      unsigned long long unit;
      /* Sampling ends when TAKEN reaches this.  */
      unsigned long long limit;
      /* The phase that the thread is in, and the last one that it has seen
	 published.  */
      unsigned phase, published;
    };

    /* A static loop without a work share.  CHUNK is 0 if it is not chunked: its
       one block is done, and the rest is not set.  In numbers of iterations:
       the chunk, the trip count, the distance between this thread's chunks, and
       its next chunk.  Then the loop's own bounds.  */
    struct
    {
      unsigned long long chunk, ni, stride, at;
      unsigned long long base, incr, end;
    };
  };
};

struct gomp_amp_loop;

/* A team's data about its tasks for GOMP_TASK_SCHEDULE=fifo; guarded by its
   task_lock.  */
struct gomp_amp_tasks
{
  /* The number of tasks that have become ready so far.  */
  unsigned long long ready;
  /* The number of tasks that cannot start before others end, because of their
     depend clauses.  */
  unsigned blocked;
  /* The number of threads that sleep in a wait for tasks outside of a barrier
     and that no ready task has woken.  Also read without the lock.  */
  unsigned sleepers;
  /* Whether any task was put into a queue.  Set with folded teams only.  */
  bool any;
};

#endif /* GOMP_AMP_TYPES_H */
