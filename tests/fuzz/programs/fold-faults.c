/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Takes the place of fold-watch.c, fold-ranges.c and fold-region.c in a library for tests: another
   thread wakes ids early, disbands workers and turns folding off and on again at random moments,
   all the time, and ids are moved to random workers when times were measured. Called regions get
   late threads at random moments, and mostly stay called when their ids wait for each other. At its
   end a process prints how many regions it ran and what was done to them. */
#define gomp_fold_note_running gomp_fold_note_running_watched
#include "fold/fold-watch.c"
#undef gomp_fold_note_running
#define gomp_fold_better_ranges gomp_fold_learned_ranges
#include "fold/fold-ranges.c"
#undef gomp_fold_better_ranges
void gomp_fold_note_turns_forever(struct gomp_fold_region *region, enum gomp_fold_why why);
#define gomp_fold_note_turns gomp_fold_note_turns_forever
#include "fold/fold-region.c"
#undef gomp_fold_note_turns
#include "fold/fold-late.h"

#include <stdlib.h>

static unsigned long regions, called, late, noted, woken, disbanded, turned_off, moved;

/* A number below N. */
static unsigned below(unsigned n) {
  static _Thread_local unsigned long long state = 88172645463325252ULL;

  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (unsigned)(state >> 32) % n;
}

/* Any ranges, some of them empty, or the present ones. */
bool gomp_fold_better_ranges(struct gomp_fold_ranges *ranges, const double *time, double turn,
                             double least) {
  unsigned *first = ranges->first;

  (void)time, (void)turn, (void)least;
  if (below(3) == 0)
    return false;
  for (unsigned w = 1; w < ranges->learner.workers; w++) {
    unsigned at = w, next = below(ranges->learner.ids + 1);

    for (; at > 1 && first[at - 1] > next; at--)
      first[at] = first[at - 1];
    first[at] = next;
  }
  __atomic_fetch_add(&moved, 1, __ATOMIC_RELAXED);
  return true;
}

/* A region may need late threads again and again, and not be called for a while. */
void gomp_fold_note_turns(struct gomp_fold_region *region, enum gomp_fold_why why) {
  __atomic_fetch_add(&noted, 1, __ATOMIC_RELAXED);
  if (below(10) == 0)
    gomp_fold_note_turns_forever(region, why);
}

static void forget_turns(void) {
  for (const struct gomp_fold_region *region = __atomic_load_n(&all, __ATOMIC_ACQUIRE);
       region != NULL; region = region->next)
    __atomic_store_n((unsigned *)&region->why, GOMP_FOLD_LEAF, __ATOMIC_RELAXED);
}

static void disturb_team(struct gomp_fold_pool *fold, struct gomp_fold_team *team) {
  struct gomp_fold_worker *worker = &team->worker[below(team->workers)];

  if (__atomic_load_n(&fold->called, __ATOMIC_RELAXED) && below(4) == 0) {
    gomp_fold_make_late(fold, team);
    late++;
    return;
  }
  if (below(200) == 0) {
    gomp_fold_disband_team(team);
    disbanded++;
  } else if (below(200) == 0) {
    /* As if who watches was preempted between two workers. */
    __atomic_fetch_or(&team->state, GOMP_FOLD_TEAM_DISBANDED, __ATOMIC_RELAXED);
    gomp_fold_disband(worker);
    disbanded++;
  } else if (below(400) == 0) {
    /* The next region is not folded. */
    __atomic_store_n(&fold->off, true, __ATOMIC_RELAXED);
    turned_off++;
  } else if (below(400) == 0) {
    leave_alone(fold, team);
    turned_off++;
  } else if (below(100) == 0)
    /* The process has other CPUs. */
    __atomic_fetch_or(&team->state, GOMP_FOLD_TEAM_STALE, __ATOMIC_RELAXED);
  else
    woken += gomp_fold_wake_early(worker);
}

static void disturb(struct gomp_fold_pool *fold) {
  struct gomp_fold_team *team = __atomic_load_n(&fold->team, __ATOMIC_ACQUIRE);

  if (fold->off && below(20) == 0)
    __atomic_store_n(&fold->off, false, __ATOMIC_RELAXED);
  if (team == NULL || (!team->takes_turns && !fold->called))
    return;
  __atomic_fetch_add(&team->members, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&fold->team, __ATOMIC_SEQ_CST) == team)
    disturb_team(fold, team);
  __atomic_fetch_sub(&team->members, 1, __ATOMIC_RELEASE);
}

static void *disturb_all(void *arg) {
  for (;;) {
    const struct timespec pause = {0, 1000 + (long)below(30000)};

    pthread_mutex_lock(&lock);
    for (struct gomp_fold_pool *fold = pools; fold != NULL; fold = fold->next)
      disturb(fold);
    pthread_mutex_unlock(&lock);
    nanosleep(&pause, NULL);
  }
  return arg;
}

void gomp_fold_note_running(struct gomp_fold_pool *fold, bool runs) {
  if (runs) {
    if (below(10) == 0)
      forget_turns();
    __atomic_fetch_add(&regions, 1, __ATOMIC_RELAXED);
    if (fold->called)
      __atomic_fetch_add(&called, 1, __ATOMIC_RELAXED);
  }
  gomp_fold_note_running_watched(fold, runs);
}

static void __attribute__((constructor)) start_disturbing(void) {
  pthread_t thread;

  if (pthread_create(&thread, NULL, disturb_all, NULL) != 0)
    abort();
  pthread_detach(thread);
}

static void __attribute__((destructor)) say(void) {
  fprintf(stderr,
          "%lu folded regions, %lu of them called: %lu times ids waited, late threads were given "
          "%lu times at random, %lu ids were woken early, %lu times workers disbanded, %lu times "
          "folding turned off, ids moved %lu times\n",
          regions, called, noted, late, woken, disbanded, turned_off, moved);
}
