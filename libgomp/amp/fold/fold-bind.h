/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Where the threads of folded teams may run.  The initial thread of a pool is
   bound only while a region runs: every process and thread that is made later
   would have its mask.  */

#ifndef GOMP_AMP_FOLD_BIND_H
#define GOMP_AMP_FOLD_BIND_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

struct gomp_fold_pool;
struct gomp_fold_thread;

/* Give the thread TID of the process, 0 for the calling one, MASK, which has
   gomp_fold_mask_size bytes.  */
extern void gomp_fold_set_mask (int tid, const void *mask);

/* Bind the thread TID of the process to the CPU of WORKER; 0 is the calling
   thread.  If WORKER may not run let the thread run where the process may.  */
extern void gomp_fold_bind_thread (int tid, unsigned worker);

/* The thread TID of the process, 0 for the calling one, was bound to the CPU of
   WORKER.  Unless the program has given it another mask since, let it run where
   the process may.  */
extern void gomp_fold_unbind_thread (int tid, unsigned worker);

/* The calling thread has the mask of a worker because a thread that is bound
   has made it.  Let it run where FIRST may, the initial thread of FOLD.  */
extern void gomp_fold_unbind_made (const struct gomp_fold_pool *fold,
				   const struct gomp_fold_thread *first);

/* Whether the calling thread may run where the process may, and nowhere
   else.  */
extern bool gomp_fold_has_process_mask (void);

/* Whether the thread TID, 0 for the calling one, has the mask of WORKER.  True
   if that cannot be found out.  */
extern bool gomp_fold_has_mask_of (int tid, unsigned worker);

/* Whether the program has bound THREAD to something else than the CPU of its
   worker.  One that unbinds itself meanwhile may seem so, and one whose mask is
   being changed from outside.  */
extern bool gomp_fold_bound_elsewhere (const struct gomp_fold_thread *thread);

/* For the watching thread.  The mask of THREAD, of FOLD, was overwritten when
   the process got other CPUs, or the library has set one that is not right any
   more: set it as it has to be.  CHANGED: the CPUs changed at the last looks.
   Returns false, and changes nothing, if the program has bound THREAD, as
   gomp_fold_bound_elsewhere says.  */
extern bool gomp_fold_settle (struct gomp_fold_pool *fold,
			      struct gomp_fold_thread *thread, bool changed);

/* The kernel thread of THREAD, not the first one of FOLD, runs ids of WORKER
   from now on: bind it there, unless the program has bound it, or FOLD is off.
   Called by that or by any other one while it is parked.  */
extern void gomp_fold_bind_to (struct gomp_fold_pool *fold,
			       struct gomp_fold_thread *thread,
			       unsigned worker);

/* gomp_fold_bind_to, between gomp_fold_pause_watch and
   gomp_fold_resume_watch.  */
extern void gomp_fold_bind_unwatched (struct gomp_fold_pool *fold,
				      struct gomp_fold_thread *thread,
				      unsigned worker);

/* The calling kernel thread is that of THREAD, of FOLD, which does not fold the
   present region: let it run where the process may, unless the program has
   bound it.  */
extern void gomp_fold_let_go (struct gomp_fold_pool *fold,
			      struct gomp_fold_thread *thread);

/* The calling thread is id 0 of FOLD and begins a region: bind it as
   gomp_fold_keep_first does, or in any case if it strayed not long ago.  */
extern void gomp_fold_start_first (struct gomp_fold_pool *fold);

/* The calling thread is id 0 of FOLD and in a region: bind it if it is not on
   its worker's CPU, unless the program gave it a mask of its own.  To bind a
   thread and to let it go again costs as much as a hand-over, and most threads
   stay where they are.  */
extern void gomp_fold_keep_first (struct gomp_fold_pool *fold);

/* The calling thread is id 0 of FOLD, in a region, and from now on of WORKER:
   if it is bound to another one let it go, as the next two do.  */
extern void gomp_fold_move_first (struct gomp_fold_pool *fold,
				  unsigned worker);

/* The calling thread is id 0 of FOLD and was bound: let it go, unless the
   program has bound it since.  */
extern void gomp_fold_unbind_first (struct gomp_fold_pool *fold);

/* For omp_get_num_procs, which would return PROCS: as many threads as a team
   has, if those are more, since programs have an element of an array for each
   processor, or ask for as many threads.  The CPUs of the calling thread, if it
   was confined.  */
extern unsigned gomp_fold_num_procs (unsigned procs);

#pragma GCC visibility pop

/* Exported for libamp-yield.so.  The calling thread is about to start a process
   or thread, which has its mask, or another image of the process: if it is
   bound to the CPU of its worker, let it run where the process may.  Returns
   what gomp_amp_fasten wants afterwards.  Safe in signal handlers and after
   vfork.  */
extern int gomp_amp_loosen (void);
extern void gomp_amp_fasten (int loosened);

/* The same.  The program has set the mask of the calling thread, which keeps
   it.  */
extern void gomp_amp_mask_is_set (void);

#endif /* GOMP_AMP_FOLD_BIND_H */
