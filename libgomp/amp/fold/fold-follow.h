/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Which workers may run now: the process follows its affinity mask.

   taskset, a cpuset, a service manager or a daemon may change the CPUs of a
   process while it runs.  It changes the masks of all threads then, also that
   of the watching thread, which the library never binds.  So a change of that
   one mask says that the process has other CPUs.  If it has not changed, and a
   thread is bound elsewhere, the program has bound it.

   The watching thread publishes the set of workers whose CPU is in its mask, of
   these the fastest ones if the process has a CPU quota for fewer.  A worker
   that gets no CPU, though the mask has it, *starves*, as where a realtime
   thread has the CPU: it has no ids for a second, then for two and so on.
   A published set is neither changed nor freed, so a thread may keep and read
   it for any time.

   There is no watching thread before the first team.  The process was given
   other CPUs until then if none of its threads has the mask any more that it
   had.

   A new team has the present set, and no ids for other workers.  A team of
   another set is *stale*: its region goes on, and where all of its threads meet
   next, or at the start of the next region, it is replaced.  */

#ifndef GOMP_AMP_FOLD_FOLLOW_H
#define GOMP_AMP_FOLD_FOLLOW_H 1

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/* Constant after publication.  */
struct gomp_fold_allowed
{
  const struct gomp_fold_allowed *older;
  /* The mask of the process, and the part of it where the threads of workers
     that may not run are: each a cpu_set_t.  */
  const void *mask, *room;
  /* The workers that may run, and by worker: its speed as in the plan, 0 if it
     may not run.  KEPT: these are all of them, or all that the process had at
     its start.  */
  unsigned count;
  bool kept;
  unsigned speed[];
};

/* The present set, and the one before, whose masks threads may still have.
   Stored with release, loaded with acquire.  NULL until teams are folded.  */
extern const struct gomp_fold_allowed *gomp_fold_present;
extern const struct gomp_fold_allowed *gomp_fold_former;

static inline const struct gomp_fold_allowed *
gomp_fold_allowed (void)
{
  return __atomic_load_n (&gomp_fold_present, __ATOMIC_ACQUIRE);
}

/* Whether any of the first WORKERS workers may run.  */
extern bool gomp_fold_any_allowed (const struct gomp_fold_allowed *allowed,
				   unsigned workers);

/* The process starts, and may run where the calling thread may.  Returns false
   if that cannot be found out.  */
extern bool gomp_fold_begin_follow (void);

/* No thread watches, and the calling one starts a team: if the process was
   given other CPUs meanwhile it may run where this thread may.  */
extern void gomp_fold_follow_unwatched (void);

/* The calling thread is the one that watches, from now on: give it the mask of
   the process, if it has another one.  */
extern void gomp_fold_begin_watcher (void);

/* No thread watches any more, or not in this process.  */
extern void gomp_fold_end_watcher (void);

/* The calling thread is the one that watches.  Look at its mask.  Returns
   whether there is another set.  */
extern bool gomp_fold_follow (void);

/* The same, before that.  The thread TID of worker W is to run: what it does
   has the number STEP.  Or none of W's is.  */
extern void gomp_fold_note_thread (unsigned w, int tid, unsigned step);
extern void gomp_fold_note_no_thread (unsigned w);

/* Store in SET the mask of the process, also if there was no look since it got
   other CPUs.  */
extern void gomp_fold_get_process_mask (void *set);

/* Whether SET, a mask that a thread has, is that of the process, at the last
   look or now.  */
extern bool gomp_fold_is_process_mask (const void *set);

/* Whether SET is the mask or the room of any set that was published: the
   library, or who changed the CPUs of the process, may have given it.  */
extern bool gomp_fold_is_known_mask (const void *set);

/* The size of masks in bytes.  */
extern size_t gomp_fold_mask_size;

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_FOLLOW_H */
