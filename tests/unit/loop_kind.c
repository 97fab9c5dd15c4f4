// SPDX-License-Identifier: GPL-3.0-or-later
// Calls loop-kind.c in the name of a thread that a test makes up.
#include "loop_kind.h"

#include "libgomp.h"
#include "loops/loop-kind.h"

static struct gomp_team team;
static struct gomp_thread thread;
static struct gomp_task_icv icv;
static bool settled;

struct gomp_thread *gomp_thread(void) { return &thread; }

struct gomp_task_icv *gomp_icv(bool write) {
  (void)write;
  return &icv;
}

// Only whether the classes differ counts here, not where the threads are.
bool gomp_amp_classes_wanted, gomp_fold_on;

void gomp_amp_find_places(unsigned nthreads, unsigned clause, struct gomp_amp_places *places) {
  (void)nthreads;
  (void)clause;
  (void)places;
}

bool gomp_amp_team_asymmetric(unsigned nthreads, const struct gomp_amp_places *places) {
  (void)nthreads;
  (void)places;
  return settled;
}

bool gomp_amp_settle_team(struct gomp_team *which) {
  which->amp_asymmetric = settled ? GOMP_AMP_ASYMMETRIC : GOMP_AMP_SYMMETRIC;
  return settled;
}

static void enter(struct situation situation) {
  icv = (struct gomp_task_icv){situation.icv_kind, situation.icv_chunk, situation.icv_given};
  team = (struct gomp_team){.nthreads = situation.threads,
                            .amp_icv = &icv,
                            .amp_asymmetric = situation.asymmetric};
  thread = (struct gomp_thread){.ts.team = situation.threads ? &team : NULL, .ts.amp.why = 0xff};
  settled = situation.settled;
}

struct decision decide_runtime(struct situation situation, int routed) {
  enter(situation);
  const struct gomp_amp_loop_kind loop = gomp_amp_decide_loop(&thread, routed);
  return (struct decision){loop.kind, loop.chunk, loop.why, thread.ts.amp.why};
}

struct decision decide_parallel(struct situation situation, int kind, long chunk) {
  enter(situation);
  const int found = gomp_amp_parallel_kind(&team, 0, kind, &chunk);
  return (struct decision){found, chunk, thread.ts.amp.why, thread.ts.amp.why};
}

struct decision decide_start(struct situation situation, long kind, long chunk,
                             int *resolved) {
  enter(situation);
  *resolved = gomp_amp_resolve_start(&kind, &chunk);
  return (struct decision){kind, chunk, thread.ts.amp.why, thread.ts.amp.why};
}

struct decision decide_ordered(struct situation situation) {
  struct gomp_task_icv copy;
  enter(situation);
  const struct gomp_task_icv *const found = gomp_amp_ordered_icv(&icv, &copy);
  return (struct decision){found->run_sched_var, found->run_sched_chunk_size, thread.ts.amp.why,
                           thread.ts.amp.why};
}
