/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Liveness of folded teams: an id that waits outside of libgomp (for memory, a
   mutex, a pipe) for an id of its worker keeps the carrier from that one.  A
   thread looks for such workers while folded regions run, and has ids picked up
   early.  */

#ifndef GOMP_AMP_FOLD_WATCH_H
#define GOMP_AMP_FOLD_WATCH_H 1

#include <stdbool.h>

#pragma GCC visibility push(hidden)

struct gomp_fold_pool;

/* Watch FOLD whenever it runs, until gomp_fold_unwatch.  */
extern void gomp_fold_watch (struct gomp_fold_pool *fold);
extern void gomp_fold_unwatch (struct gomp_fold_pool *fold);

/* Between these two calls the watching thread looks at no thread, and unbinds
   none: the calling thread is being bound, or it ends, and the kernel may give
   its number to another thread, also of another process.  */
extern void gomp_fold_pause_watch (void);
extern void gomp_fold_resume_watch (void);

/* FOLD, which is watched, runs a region now, or does not.  */
extern void gomp_fold_note_running (struct gomp_fold_pool *fold, bool runs);

/* In virtual time, where the watching thread is in real time: follow the CPUs
   of the process, as of now.  */
#ifdef GOMP_AMP_VIRTUAL
extern void gomp_fold_follow_now (void);
#else
static inline void
gomp_fold_follow_now (void)
{
}
#endif

/* gomp_fold_count_team for all teams that there are.  */
extern void gomp_fold_count_all (void);

#pragma GCC visibility pop

#endif /* GOMP_AMP_FOLD_WATCH_H */
