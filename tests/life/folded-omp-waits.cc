// SPDX-License-Identifier: GPL-3.0-or-later
// Folded teams: ids that wait for each other, in OpenMP and outside of it.
#include "folded-omp.h"
#include "life.h"

#include <omp.h>
#include <unistd.h>

#include <atomic>
#include <vector>

namespace folded {

namespace {

void barriers() {
  for (int round = 0; round < kRounds; round++) {
    const int size = omp_get_max_threads();
    int value = 0, copies = 0;
    std::atomic<int> before{0};
#pragma omp parallel
    {
      mark();
      before++;
#pragma omp barrier
      life::check(before == size, "%d of %d came to the barrier", +before, size);
      int private_value;
#pragma omp single copyprivate(private_value)
      private_value = ++value;
      life::check(private_value == 1, "copyprivate");
#pragma omp critical
      copies++;
#pragma omp barrier
      life::check(copies == size, "%d of %d", copies, size);
    }
    check_once(size, "barriers");
  }
}

void ordered() {
  for (int round = 0; round < kRounds; round++) {
    int next = 0, next_dynamic = 0;
#pragma omp parallel for ordered schedule(static, 1)
    for (int i = 0; i < 40; i++) {
#pragma omp ordered
      life::check(next++ == i, "iteration %d comes as %d", i, next - 1);
    }
#pragma omp parallel for ordered schedule(dynamic, 1)
    for (int i = 0; i < 40; i++) {
#pragma omp ordered
      life::check(next_dynamic++ == i, "iteration %d comes as %d", i, next_dynamic - 1);
    }
  }
}

void doacross() {
  for (int round = 0; round < kRounds; round++) {
    std::vector<int> seen(40);
#pragma omp parallel for ordered(1) schedule(static, 1)
    for (int i = 0; i < 40; i++) {
#pragma omp ordered depend(sink : i - 1)
      life::check(i == 0 || seen[i - 1], "iteration %d comes before %d", i, i - 1);
      seen[i] = 1;
#pragma omp ordered depend(source)
    }
  }
}

// Two tasks at least run at a time.
void tasks_meet() {
  std::atomic<int> started{0};
#pragma omp parallel
  {
#pragma omp master
    for (int i = 0; i < 8; i++) {
#pragma omp task
      {
        started++;
        // A hang is a failure.
        while (started < 2)
          usleep(1000);
      }
    }
  }
  life::check(started == 8, "%d tasks", +started);
}

// Locks that ids of the same worker and of others want.
void locks() {
  omp_lock_t lock;
  omp_init_lock(&lock);
  for (int round = 0; round < kRounds; round++) {
    long critical = 0, locked = 0, tested = 0;
#pragma omp parallel
    {
      mark();
      for (int i = 0; i < 50; i++) {
#pragma omp critical
        critical++;
        omp_set_lock(&lock);
        locked++;
        omp_unset_lock(&lock);
        while (!omp_test_lock(&lock))
          ;
        tested++;
        omp_unset_lock(&lock);
      }
    }
    check_once(omp_get_max_threads(), "locks");
    const long all = 50L * omp_get_max_threads();
    life::check(critical == all && locked == all && tested == all, "%ld, %ld, %ld of %ld", critical,
                locked, tested, all);
  }
  omp_destroy_lock(&lock);
}

// Ids that wait for each other in memory. All others than this one have to begin before it ends.
void memory() {
  for (int round = 0; round < 5; round++) {
    std::atomic<int> begun{0};
#pragma omp parallel
    {
      mark();
      begun++;
      while (begun < omp_get_num_threads())
        if (round % 2)
          usleep(100);
    }
    check_once(omp_get_max_threads(), "memory");
  }
}

// Ids that yield in inner teams, of one thread or of two, until all have begun.
void yield_in_inner_teams(int threads, bool by_last) {
  omp_set_max_active_levels(2);
  for (int round = 0; round < 3; round++) {
    std::atomic<int> begun{0};
#pragma omp parallel
    {
      mark();
      begun++;
      const int all = omp_get_num_threads();
#pragma omp parallel num_threads(threads)
      if (!by_last || omp_get_thread_num() == threads - 1)
        while (begun < all) {
#pragma omp taskyield
        }
    }
    check_once(omp_get_max_threads(), "yields in inner teams");
  }
  omp_set_max_active_levels(1);
}

// The same in memory, so that the id itself sleeps in its inner team.
void memory_in_inner_teams() {
  omp_set_max_active_levels(2);
  for (int round = 0; round < 2; round++) {
    std::atomic<int> begun{0};
#pragma omp parallel
    {
      mark();
      begun++;
      const int all = omp_get_num_threads();
#pragma omp parallel num_threads(2)
      while (omp_get_thread_num() == 1 && begun < all)
        usleep(100);
    }
    check_once(omp_get_max_threads(), "memory in inner teams");
  }
  omp_set_max_active_levels(1);
}

// A task that runs at once, and ends when another id has fulfilled its event.
void detached() {
  for (int round = 0; round < 3; round++) {
    const omp_event_handle_t none{};
    std::atomic<omp_event_handle_t> event{none};
#pragma omp parallel
    {
      mark();
      if (omp_get_thread_num() == 0) {
        omp_event_handle_t handle;
#pragma omp task detach(handle) if (0)
        event = handle;
      } else if (omp_get_thread_num() == omp_get_num_threads() - 1) {
        while (event == none)
          usleep(100);
        omp_fulfill_event(event);
      }
    }
    check_once(omp_get_max_threads(), "detached");
  }
}

// The same, and only for one of another worker.
void chain_in_memory() {
  for (int round = 0; round < 3; round++) {
    std::vector<std::atomic<int>> done(64);
#pragma omp parallel
    {
      mark();
      const int me = omp_get_thread_num(), next = me + 1;
      while (next < omp_get_num_threads() && !done[next])
        ;
      done[me] = 1;
    }
    check_once(omp_get_max_threads(), "chain in memory");
  }
}

} // namespace

const std::vector<Case> kWaits = {
    {"barriers", barriers},
    {"ordered", ordered},
    {"doacross", doacross},
    {"tasks-meet", tasks_meet},
    {"locks", locks},
    {"memory", memory},
    {"inner-yields", [] { yield_in_inner_teams(1, false); }},
    {"inner-threads-yield", [] { yield_in_inner_teams(2, true); }},
    {"inner-memory", memory_in_inner_teams},
    {"detached", detached},
    {"chain-in-memory", chain_in_memory},
};

} // namespace folded
