/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What fold-call.c, fold-late.c and fold-rescue.c need of upstream's libgomp.h, for teams that the
   checker makes up.  */
#ifndef LIBGOMP_H
#define LIBGOMP_H 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HAVE_SYNC_BUILTINS 1
#define MEMMODEL_RELAXED __ATOMIC_RELAXED
#define MEMMODEL_ACQUIRE __ATOMIC_ACQUIRE
#define MEMMODEL_RELEASE __ATOMIC_RELEASE
#define MEMMODEL_ACQ_REL __ATOMIC_ACQ_REL

/* Barriers.  */
#define BAR_WAS_LAST 1
#define BAR_CANCELLED 4
#define BAR_INCR 8

typedef struct {
  unsigned total, generation, awaited, awaited_final;
} gomp_barrier_t;

typedef unsigned gomp_barrier_state_t;

struct gomp_team;

/* Of the checker: for the end of a region, which wakes helpers again and again.  */
extern void gomp_barrier_set(gomp_barrier_t *bar, unsigned generation);
static inline unsigned gomp_barrier_get(gomp_barrier_t *bar) {
  return __atomic_load_n(&bar->generation, __ATOMIC_RELAXED);
}
extern void gomp_team_barrier_wait_end(gomp_barrier_t *bar, gomp_barrier_state_t state);
extern void gomp_team_barrier_wake(gomp_barrier_t *bar, int count);

/* Tasks.  */
typedef int gomp_sem_t;

struct gomp_task_icv {
  int run_sched_chunk_size;
};

struct gomp_task {
  struct gomp_task *parent;
  struct gomp_task_icv icv;
  bool deferred_p;
  gomp_sem_t *completion_sem;
};

extern void gomp_init_task(struct gomp_task *task, struct gomp_task *parent,
                           struct gomp_task_icv *icv);
extern void gomp_finish_task(struct gomp_task *task);

/* Teams, threads and pools.  */
struct gomp_work_share {
  int unused;
};

enum { MODEL_THREADS = 3 };

struct gomp_team {
  unsigned nthreads;
  unsigned work_share_cancelled;
  gomp_barrier_t barrier;
  struct gomp_work_share work_shares[1];
  gomp_sem_t *ordered_release[MODEL_THREADS];
  struct {
    bool any;
  } amp_tasks;
  struct gomp_task implicit_task[MODEL_THREADS];
};

struct gomp_team_state {
  struct gomp_team *team;
  struct gomp_work_share *work_share, *last_work_share;
  unsigned team_id, level, active_level;
  uintptr_t def_allocator;
  unsigned long single_count, static_trip;
  struct {
    unsigned generation;
  } amp;
};

struct gomp_fold_thread;
struct gomp_fold_pool;
struct gomp_thread_pool;

struct gomp_thread {
  struct gomp_team_state ts;
  struct gomp_task *task;
  gomp_sem_t release;
  struct gomp_thread_pool *thread_pool;
  unsigned num_teams, team_num;
  struct gomp_fold_thread *amp_fold;
};

struct gomp_thread_pool {
  struct gomp_thread **threads;
  unsigned threads_used;
  struct {
    gomp_barrier_t bar;
  } threads_dock;
  struct gomp_fold_pool *amp_fold;
};

/* Of the thread that the checker lets run.  */
extern struct gomp_thread *gomp_thread(void);

#endif /* LIBGOMP_H */
