/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE 1
#include "call_program.h"
#include "base/objects.h"
#include "fold/fold-bind.h"
#include "fold/fold-call.h"
#include "fold/fold-caller.h"
#include "fold/fold-follow.h"
#include "fold/fold-late.h"
#include "fold/fold-move.h"
#include "fold/fold-rescue.h"
#include "fold/fold-setup.h"
#include "fold/fold-start.h"
#include "fold/fold-team.h"
#include "fold/fold-watch.h"
#include "fold/fold.h"
#include "ompt/ompt.h"
#include "options/options.h"

#include <limits.h>
#include <string.h>
#include <time.h>

struct call_world call_world;

static const struct gomp_fold_allowed all_workers = {.all = true, .speed = {1, 1}};
const struct gomp_fold_allowed *gomp_fold_present = &all_workers;

/* How often the watching thread looks while others run, and when none can.  */
enum { EARLY_LOOKS = 1, LATE_LOOKS = 4 };

static void fail(const char *what) {
  if (call_world.error == NULL)
    call_world.error = what;
}

static struct gomp_fold_thread *self(void) { return gomp_thread()->amp_fold; }

/* As fold.c's and upstream's waits, without spinning.  */

static void wait_while(int *addr, int val) {
  struct gomp_fold_thread *me = self();

  if (me->call != NULL)
    gomp_fold_called_waits(me->call, addr);
  if (gomp_fold_wait(&me->id, addr, val, GOMP_FOLD_SLEEP, 0) == GOMP_FOLD_ALONE)
    gomp_fold_sleep(addr, val);
}

/* Where no thread waits for it, a new generation would be a new state like the
   old one, and there would be no end of them: a thread that has read the old
   one goes on as if it had come later.  */

void gomp_barrier_set(gomp_barrier_t *bar, unsigned generation) {
  if (call_world.waiting != 0)
    __atomic_store_n(&bar->generation, generation, __ATOMIC_RELEASE);
  call_world.waiting = 0;
}

static bool is_over(const gomp_barrier_t *bar, gomp_barrier_state_t state) {
  return ((__atomic_load_n(&bar->generation, __ATOMIC_ACQUIRE) & -BAR_INCR) != state);
}

void gomp_team_barrier_wait_end(gomp_barrier_t *bar, gomp_barrier_state_t state) {
  if (state & BAR_WAS_LAST) {
    bar->awaited = bar->total;
    __atomic_store_n(&bar->generation, (state & -BAR_INCR) + BAR_INCR, __ATOMIC_RELEASE);
    call_world.waiting = 0;
    call_wake_all((int *)&bar->generation);
    return;
  }
  if (is_over(bar, state))
    return;
  call_world.waiting++;
  do
    wait_while((int *)&bar->generation, state);
  while (!is_over(bar, state));
}

void gomp_team_barrier_wake(gomp_barrier_t *bar, int count) {
  (void)count;
  call_wake_all((int *)&bar->generation);
}

/* The region.  */

static void meet(unsigned region) {
  gomp_barrier_t *bar = &call_world.team.barrier;
  gomp_barrier_state_t state = __atomic_load_n(&bar->generation, __ATOMIC_ACQUIRE) & -BAR_INCR;

  __atomic_fetch_add(&call_world.met[region], 1, __ATOMIC_RELAXED);
  if (__atomic_add_fetch(&bar->awaited, -1, __ATOMIC_ACQ_REL) == 0)
    state |= BAR_WAS_LAST;
  gomp_team_barrier_wait_end(bar, state);
  if (call_world.met[region] != (int)call_world.of.ids)
    fail("an id that goes on before all have met");
}

static void wait_outside(void) {
  int *begun = &call_world.begun, now;

  __atomic_fetch_add(begun, 1, __ATOMIC_ACQ_REL);
  call_wake_all(begun);
  while ((now = __atomic_load_n(begun, __ATOMIC_ACQUIRE)) < (int)call_world.of.ids)
    gomp_fold_sleep(begun, now);
}

static void run(void *data) {
  const bool *live = data;
  unsigned region = live - call_world.live;

  if (!*live)
    fail("an id of a region that has ended");
  call_world.done[region][gomp_thread()->ts.team_id]++;
  switch (call_world.of.body) {
  case CALL_LEAF:
    break;
  case CALL_MEETS:
    meet(region);
    break;
  case CALL_OUTSIDE:
    wait_outside();
    break;
  case CALL_TASKS:
    if (gomp_thread()->ts.team_id != 0)
      break;
    /* It works first: others may begin, and end, before there is a task.  */
    call_let_others_run();
    gomp_fold_task_ready(&call_world.team);
    break;
  }
}

/* As upstream's team.c.  */

static void run_region(unsigned region) {
  struct call_world *w = &call_world;
  struct gomp_thread *thr = &w->thread[0];
  gomp_barrier_state_t state;
  bool leave;

  w->region = region;
  w->live[region] = true;
  w->begun = 0;
  thr->ts.team = &w->team;
  thr->ts.level = thr->ts.active_level = 1;
  thr->task = &w->team.implicit_task[0];
  if (!gomp_fold_start_call(&w->team, run, &w->live[region], NULL)) {
    /* It takes turns from now on.  */
    if (region == 0)
      fail("the first region is not called");
    for (unsigned id = 0; id < w->of.ids; id++)
      w->done[region][id]++;
    return;
  }
  run(&w->live[region]);
  if (!gomp_fold_ends_call(&state, &leave))
    fail("id 0 does not end its call");
  if (!leave) {
    if (state & BAR_WAS_LAST)
      w->team.barrier.awaited_final = w->team.barrier.total;
    gomp_team_barrier_wait_end(&w->team.barrier, state);
  }
  thr->ts.team = NULL;
  thr->ts.level = thr->ts.active_level = 0;
  gomp_fold_end_call(&w->fold);
  w->live[region] = false;
  if (w->team.barrier.awaited_final != w->of.ids || w->team.barrier.awaited != w->of.ids)
    fail("a barrier that awaits more or fewer than all");
  for (unsigned id = 0; id < w->of.ids; id++)
    if (w->done[region][id] != 1)
      fail("a region that ends before its ids have run");
}

void call_home(void) {
  struct call_world *w = &call_world;
  unsigned *dock = &w->pool.threads_dock.bar.generation;

  for (unsigned region = 0; region < w->of.regions; region++)
    run_region(region);
  __atomic_store_n(dock, BAR_INCR, __ATOMIC_RELEASE);
  call_wake_all((int *)dock);
  gomp_fold_leave(&w->record[0].id);
}

/* As fold.c's gomp_fold_wait_for, at the dock.  */

void call_docked(unsigned number) {
  struct gomp_fold_thread *me = &call_world.record[number];
  int *dock = (int *)&call_world.pool.threads_dock.bar.generation;

  while (__atomic_load_n(dock, __ATOMIC_ACQUIRE) == 0) {
    enum gomp_fold_result result;

    if (gomp_fold_late_p(&call_world.fold))
      gomp_fold_answer_late(me);
    result = gomp_fold_wait(&me->id, dock, 0, GOMP_FOLD_DOCK, 0);
    if (result == GOMP_FOLD_ALONE)
      result = gomp_fold_sleep_docked(me->id.worker, dock, 0);
    if (result == GOMP_FOLD_CALLED)
      gomp_fold_answer(me);
  }
  gomp_fold_leave(&me->id);
}

/* The first EARLY looks are at any time.  */

static void watch(unsigned early) {
  const unsigned *dock = &call_world.pool.threads_dock.bar.generation;

  for (unsigned look = 0; look < early + LATE_LOOKS && *dock == 0; look++) {
    if (look >= early)
      call_wait_until_quiet();
    gomp_fold_look_at_call(&call_world.fold, &call_world.folded);
  }
}

void call_watch(void) { watch(EARLY_LOOKS); }

void call_watch_stuck(void) { watch(0); }

void call_prepare(const struct call_case *of) {
  struct call_world *w = &call_world;

  memset(w, 0, sizeof *w);
  w->of.body = of->body;
  w->of.ids = of->ids;
  w->of.regions = of->regions;
  w->of.coarse = of->coarse;
  w->first[1] = 2;
  w->first[2] = CALL_THREADS;
  w->dealt_first[1] = of->ids - 1;
  w->dealt_first[2] = of->ids;
  w->folded.ids = w->pool.threads_used = CALL_THREADS;
  w->folded.workers = CALL_WORKERS;
  w->folded.first = w->first;
  w->folded.allowed = &all_workers;
  w->folded.takes_turns = true;
  w->folded.worker = w->worker;
  w->folded.slot = w->slot;
  w->worker[0].slots = 2;
  w->worker[0].id = w->slot;
  w->worker[1].slots = 1;
  w->worker[1].id = &w->slot[2];
  w->worker[1].word = GOMP_FOLD_DISBANDED;
  w->fold.team = &w->folded;
  w->fold.threads_used = CALL_THREADS;
  w->fold.stack_size = SIZE_MAX;
  w->fold.turned_fn = run;
  w->fold.turned_ids = CALL_THREADS;
  w->pool.threads = w->threads;
  w->pool.amp_fold = &w->fold;
  w->pool.threads_dock.bar.awaited = 1;
  w->team.nthreads = of->ids;
  w->team.barrier = (gomp_barrier_t){of->ids, 0, of->ids, of->ids};
  for (unsigned id = 0; id < CALL_THREADS; id++) {
    w->threads[id] = &w->thread[id];
    w->thread[id].thread_pool = &w->pool;
    w->thread[id].amp_fold = &w->record[id];
    w->record[id].number = id;
    w->record[id].own = id == 2;
    w->record[id].team = &w->folded;
    w->record[id].id.tid = id + 1;
    gomp_fold_join(&w->record[id].id, &w->worker[id == 2], id == 2 ? 0 : id);
    w->order[id] = id;
    w->cost[id + 1] = id + 1;
  }
  w->deal.skip = CALL_MOST;
  w->deal.woken = CALL_WORKERS;
  w->deal.dealt = (struct gomp_fold_dealt){
      .ids = of->ids, .order = w->order, .first = w->dealt_first, .slow = w->slow, .cost = w->cost};
}

bool __attribute__((no_sanitize("thread"))) call_is_quiet(const void *address) {
  const struct call_world *w = &call_world;
  const struct gomp_fold_call *call = w->fold.call;
  const char *at = address;

  if (at < (const char *)w || at >= (const char *)(w + 1))
    return true;
#define IS_IN(object)                                                                              \
  (at >= (const char *)&(object) && at < (const char *)&(object) + sizeof(object))
  for (unsigned id = 0; id < CALL_THREADS; id++)
    if (IS_IN(w->record[id]))
      return w->of.coarse || address != &w->record[id].id.state;
  for (unsigned n = 0; n < CALL_WORKERS; n++) {
    const struct gomp_fold_share *share;

    if (IS_IN(w->worker[n]))
      return w->of.coarse || address != &w->worker[n].word;
    if (call == NULL || call->shares.share == NULL || call->caller == NULL)
      continue;
    share = &call->shares.share[n];
    if ((IS_IN(*share) && address != &share->word) || address == &call->caller[n].runner ||
        address == &call->caller[n].steps)
      return true;
  }
  if (call == NULL)
    return IS_IN(w->arena);
  /* What is allocated for the thread that starts regions, or for tasks.  */
  if (IS_IN(w->arena) && !IS_IN(*call) &&
      (call->shares.share == NULL || at < (const char *)call->shares.share ||
       at >= (const char *)(call->shares.share + CALL_WORKERS)) &&
      (call->caller == NULL || at < (const char *)call->caller ||
       at >= (const char *)(call->caller + CALL_WORKERS)))
    return true;
  return (IS_IN(call->shares) || IS_IN(call->knowns) || IS_IN(w->met) || address == &call->region ||
          address == &call->tasks || IS_IN(w->deal) || IS_IN(w->known) || IS_IN(w->cost) ||
          IS_IN(w->folded) || IS_IN(w->slot));
#undef IS_IN
}

/* What the library's files call, and is not checked here.  */

struct gomp_amp_options gomp_amp_options = {.fold_calls = GOMP_AMP_CALLS_ALL};
struct gomp_fold_plan gomp_fold_workers = {.count = CALL_WORKERS};
bool gomp_ompt_on;
size_t gomp_fold_thread_stack;

struct gomp_fold_thread *gomp_fold_current(void) {
  return self();
}

/* As fold.c's.  */

void gomp_fold_let_others_run(void) {
  struct gomp_fold_thread *me = self();

  if (me->call != NULL)
    gomp_fold_called_waits(me->call, NULL);
  if (!gomp_fold_yield(&me->id))
    call_let_others_run();
}

/* A count of tries would make each look another state.  */

void gomp_fold_await_other(unsigned *tries) {
  (void)tries;
  gomp_fold_let_others_run();
}

void gomp_fold_begin_call(void) {
  struct gomp_fold_thread *me = self();

  if (!me->id.turn)
    gomp_fold_begin(&me->id);
}

void gomp_fold_note_running(struct gomp_fold_pool *fold, bool runs) { fold->runs = runs; }

/* No thread leaves the pool.  */

void gomp_fold_await_ends(struct gomp_fold_pool *fold) { (void)fold; }

void gomp_fold_start_first(struct gomp_fold_pool *fold) { (void)fold; }

double *gomp_fold_known_speeds(const struct gomp_fold_pool *fold, unsigned workers,
                               const struct gomp_fold_allowed *allowed) {
  static double speed[CALL_WORKERS] = {1, 1};

  (void)fold, (void)workers, (void)allowed;
  return speed;
}

struct gomp_fold_region *gomp_fold_find_region(gomp_fold_region_fn fn) {
  (void)fn;
  return &call_world.known;
}

void gomp_fold_note_turns(struct gomp_fold_region *region, enum gomp_fold_why why) {
  region->why = why;
}

void gomp_fold_note_early(struct gomp_fold_region *region, unsigned count) {
  (void)region, (void)count;
}

bool gomp_fold_note_unfolded(struct gomp_fold_region *region) {
  (void)region;
  return true;
}

/* No time passes.  */

unsigned long long gomp_fold_look_up_cpu_ns(int tid) {
  (void)tid;
  return 0;
}

struct gomp_fold_deal *gomp_fold_make_deal(unsigned ids, unsigned workers, unsigned home,
                                           const double *speed) {
  (void)ids, (void)workers, (void)home, (void)speed;
  return &call_world.deal;
}

size_t gomp_fold_deal_size(unsigned ids, unsigned workers) {
  (void)ids, (void)workers;
  return 0;
}

/* The workers stay the same.  */

void gomp_fold_restart_deal(struct gomp_fold_deal *deal, const double *speed) {
  (void)deal, (void)speed;
}

void gomp_fold_note(struct gomp_fold_deal *deal, const struct gomp_fold_shares *shares,
                    unsigned long long begin, unsigned long long end) {
  (void)deal, (void)shares, (void)begin, (void)end;
}

void gomp_amp_note_object(struct gomp_amp_object *object, const void *address) {
  (void)object, (void)address;
}

bool gomp_amp_same_object(const struct gomp_amp_object *object, const void *address) {
  (void)object, (void)address;
  return true;
}

void gomp_ompt_note_taken(unsigned from, bool late) { (void)from, (void)late; }

void gomp_ompt_called_begins(struct gomp_team *team, unsigned id, void *frame) {
  (void)team, (void)id, (void)frame;
}

void gomp_ompt_called_arrives(void) {}

void gomp_ompt_called_ends(void) {}

void gomp_fold_hold_first(struct gomp_fold_pool *fold) { (void)fold; }

void gomp_init_task(struct gomp_task *task, struct gomp_task *parent, struct gomp_task_icv *icv) {
  *task = (struct gomp_task){.parent = parent, .icv = *icv};
}

void gomp_finish_task(struct gomp_task *task) { (void)task; }

/* Memory that the checker saves and puts back.  */

void *model_calloc(size_t count, size_t size) {
  size_t at = (call_world.allocated + 63) / 64 * 64;

  if (at + count * size > CALL_ARENA)
    return NULL;
  call_world.allocated = at + count * size;
  return call_world.arena + at;
}

void *model_realloc(void *old, size_t size) { return old != NULL ? NULL : model_calloc(1, size); }

void *model_aligned_alloc(size_t alignment, size_t size) {
  (void)alignment;
  return model_calloc(1, size);
}

int model_posix_memalign(void **memory, size_t alignment, size_t size) {
  (void)alignment;
  *memory = model_calloc(1, size);
  return *memory == NULL;
}

void model_free(void *memory) { (void)memory; }

int model_clock_gettime(clockid_t clock, struct timespec *now) {
  (void)clock;
  *now = (struct timespec){1, 0};
  return 0;
}
