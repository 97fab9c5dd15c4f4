/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Takes the place of fold-watch.c and fold-ranges.c in a library for tests: another thread gives
   workers other carriers, releases all ids, and turns folding off and on again at random moments,
   all the time, and ids are moved to random workers when times were measured. At its end a process
   prints how many regions it ran and what was done to them. */
#define gomp_fold_note_running gomp_fold_note_running_watched
#include "fold/fold-watch.c"
#undef gomp_fold_note_running
#define gomp_fold_better_ranges gomp_fold_learned_ranges
#include "fold/fold-ranges.c"
#undef gomp_fold_better_ranges

#include <stdlib.h>

static unsigned long regions, relieved, released, turned_off, moved;

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

static void disturb(struct gomp_fold_pool *fold) {
  if (fold->off && below(20) == 0)
    __atomic_store_n(&fold->off, false, __ATOMIC_RELAXED);
  if (!fold->runs || gomp_fold_mode(fold) == GOMP_FOLD_FREE)
    return;
  if (below(200) == 0) {
    unfold(fold);
    released++;
  } else if (below(400) == 0) {
    /* The next region is not folded. */
    __atomic_store_n(&fold->off, true, __ATOMIC_RELAXED);
    turned_off++;
  } else if (below(400) == 0) {
    leave_alone(fold);
    turned_off++;
  } else
    relieved += gomp_fold_relieve(&fold->crew.worker[below(fold->crew.workers)]);
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
  if (runs)
    __atomic_fetch_add(&regions, 1, __ATOMIC_RELAXED);
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
          "%lu folded regions: workers got another carrier %lu times, all ids were released %lu "
          "times, folding turned off %lu times, ids moved %lu times\n",
          regions, relieved, released, turned_off, moved);
}
