// SPDX-License-Identifier: GPL-3.0-or-later
// Folded teams: what a program sees in an id.
#include "folded-omp.h"
#include "life.h"

#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <vector>

namespace folded {

namespace {

// Numbers, levels and ICVs of an id, for teams of all sizes.
void numbers() {
  for (int round = 0; round < kRounds; round++) {
    const int size = 2 + round % (omp_get_max_threads() - 1);
#pragma omp parallel num_threads(size)
    {
      mark();
      life::check(omp_get_num_threads() == size && omp_in_parallel() && omp_get_level() == 1 &&
                      omp_get_active_level() == 1 && omp_get_team_size(1) == size &&
                      omp_get_team_size(0) == 1 && omp_get_ancestor_thread_num(0) == 0 &&
                      omp_get_ancestor_thread_num(1) == omp_get_thread_num(),
                  "team of %d: wrong numbers in id %d", size, omp_get_thread_num());
      life::check(omp_get_max_threads() != 61, "an ICV of another id");
      omp_set_num_threads(61);
      work(round % 7 * 100);
    }
    check_once(size, "numbers");
    life::check(!omp_in_parallel() && omp_get_level() == 0 && omp_get_thread_num() == 0 &&
                    omp_get_num_threads() == 1,
                "wrong numbers after a region");
  }
}

void worksharing() {
  for (int round = 0; round < kRounds; round++) {
    const int size = omp_get_max_threads();
    std::atomic<int> dynamic{0}, guided{0}, sections{0}, singles{0}, runtime{0};
    long sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
      mark();
      sum += omp_get_thread_num();
#pragma omp for schedule(dynamic, 1) nowait
      for (int i = 0; i < 100; i++)
        dynamic++;
#pragma omp single nowait
      singles++;
#pragma omp for schedule(guided) nowait
      for (int i = 0; i < 100; i++)
        guided++;
#pragma omp sections nowait
      {
        sections++;
#pragma omp section
        sections++;
#pragma omp section
        sections++;
      }
#pragma omp single nowait
      singles++;
#pragma omp for schedule(runtime) nowait
      for (int i = 0; i < 100; i++)
        runtime++;
    }
    check_once(size, "worksharing");
    life::check(sum == size * (size - 1L) / 2 && dynamic == 100 && guided == 100 && sections == 3 &&
                    singles == 2 && runtime == 100,
                "sum %ld, dynamic %d, guided %d, sections %d, singles %d, runtime %d", sum,
                +dynamic, +guided, +sections, +singles, +runtime);
  }
}

// Many work shares that no other id has come to.
void many_loops() {
  for (int round = 0; round < 5; round++) {
    std::atomic<long> iterations{0};
#pragma omp parallel
    {
      mark();
      for (int loop = 0; loop < 2000; loop++) {
#pragma omp for schedule(dynamic, 1) nowait
        for (int i = 0; i < 10; i++)
          iterations++;
      }
    }
    check_once(omp_get_max_threads(), "many loops");
    life::check(iterations == 20000, "%ld iterations", +iterations);
  }
}

long fibonacci(int n) {
  long a, b;
  if (n < 2)
    return n;
#pragma omp task shared(a)
  a = fibonacci(n - 1);
#pragma omp task shared(b)
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

// Tasks of one id and of all, waited for and not.
void tasks() {
  for (int round = 0; round < kRounds / 4; round++) {
    const int size = omp_get_max_threads();
    std::atomic<int> one{0}, all{0};
    long result = 0;
#pragma omp parallel
    {
      mark();
#pragma omp single nowait
      for (int i = 0; i < 50; i++) {
#pragma omp task
        one++;
      }
    }
    check_once(size, "tasks of one");
#pragma omp parallel
    {
      mark();
      for (int i = 0; i < 10; i++) {
#pragma omp task
        all++;
      }
    }
    check_once(size, "tasks of all");
#pragma omp parallel
    {
      mark();
#pragma omp master
      result = fibonacci(12);
    }
    check_once(size, "fibonacci");
    int chain = 0;
#pragma omp parallel
    {
      mark();
#pragma omp single nowait
      for (int i = 0; i < 20; i++) {
#pragma omp task depend(inout : chain)
        life::check(chain++ == i, "task %d comes as %d", i, chain - 1);
      }
    }
    check_once(size, "chain");
    life::check(one == 50 && all == 10 * size && result == 144 && chain == 20,
                "one %d, all %d, fibonacci %ld, chain %d", +one, +all, result, chain);
  }
}

// No two threads have a number at a time.
void numbered_tasks() {
  std::vector<std::atomic<int>> using_it(64);
  for (int round = 0; round < 40; round++) {
#pragma omp parallel
    {
      mark();
#pragma omp master
      for (int i = 0; i < 60; i++) {
#pragma omp task
        {
          const int me = omp_get_thread_num();
          life::check(using_it[me]++ == 0, "two threads have the number %d", me);
          usleep(100);
          using_it[me]--;
        }
      }
    }
    check_once(omp_get_max_threads(), "numbered tasks");
  }
}

// Tasks of the last id that depend on each other.
void dependent_tasks() {
  for (int round = 0; round < 40; round++) {
    int chain = 0;
#pragma omp parallel
    {
      mark();
      if (omp_get_thread_num() == omp_get_num_threads() - 1)
        for (int i = 0; i < 20; i++) {
#pragma omp task depend(inout : chain)
          life::check(chain++ == i, "task %d comes as %d", i, chain - 1);
        }
    }
    check_once(omp_get_max_threads(), "dependent tasks");
    life::check(chain == 20, "%d of 20", chain);
  }
}

void inner_teams() {
  omp_set_max_active_levels(2);
  for (int round = 0; round < kRounds / 8; round++) {
    std::atomic<int> inner{0};
#pragma omp parallel
    {
      mark();
      const int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
      {
        life::check(omp_get_level() == 2 && omp_get_ancestor_thread_num(1) == outer &&
                        omp_get_num_threads() == 2,
                    "inner team");
#pragma omp barrier
        inner++;
      }
      life::check(omp_get_thread_num() == outer && omp_get_level() == 1, "after an inner team");
    }
    check_once(omp_get_max_threads(), "inner teams");
    life::check(inner == 2 * omp_get_max_threads(), "%d inner threads", +inner);
#pragma omp parallel
    {
      mark();
#pragma omp parallel num_threads(1)
      {
#pragma omp barrier
        inner++;
      }
    }
    check_once(omp_get_max_threads(), "inner teams of one");
  }
  omp_set_max_active_levels(1);
}

void cancellation() {
  if (!omp_get_cancellation())
    return;
  for (int round = 0; round < kRounds; round++) {
    std::atomic<int> iterations{0}, after{0};
    volatile bool yes = true;
#pragma omp parallel
    {
      mark();
#pragma omp for schedule(dynamic, 1)
      for (int i = 0; i < 1000; i++) {
        iterations++;
#pragma omp cancel for if (yes)
      }
      after++;
    }
    check_once(omp_get_max_threads(), "cancelled loop");
    life::check(iterations < 1000 && after == omp_get_max_threads(), "%d iterations, %d after",
                +iterations, +after);
#pragma omp parallel
    {
      mark();
#pragma omp cancel parallel if (omp_get_thread_num() == 0)
      work(1000);
#pragma omp cancellation point parallel
      work(1000);
    }
    check_once(omp_get_max_threads(), "cancelled region");
  }
}

void processes() {
  for (int round = 0; round < 10; round++) {
#pragma omp parallel
    {
      mark();
      if (omp_get_thread_num() % 2) {
        const pid_t pid = fork();
        if (pid == 0)
          _exit(3);
        int status = 0;
        life::check(pid > 0 && waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 3,
                    "a child");
      }
    }
    check_once(omp_get_max_threads(), "processes");
  }
}

std::atomic<int> signals;

void signal_handlers() {
  struct sigaction action = {}, old;
  action.sa_handler = [](int) {
    const int id = omp_get_thread_num();
    life::check(id >= 0 && id < omp_get_num_threads(), "a signal in id %d", id);
    signals++;
  };
  sigaction(SIGUSR1, &action, &old);
  const int before = signals;
  for (int round = 0; round < 20; round++) {
#pragma omp parallel
    {
      mark();
      raise(SIGUSR1);
    }
    check_once(omp_get_max_threads(), "signals");
  }
  sigaction(SIGUSR1, &old, nullptr);
  life::check(signals - before == 20 * omp_get_max_threads(), "%d signals", signals - before);
}

} // namespace

void static_loop() {
  std::vector<int> seen(1000);
  for (int round = 1; round <= kRounds; round++) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < 1000; i++)
      seen[i]++;
    for (int i = 0; i < 1000; i++)
      life::check(seen[i] == round, "iteration %d ran %d times of %d", i, seen[i], round);
  }
}

const std::vector<Case> kSeen = {
    {"numbers", numbers},
    {"static-loop", static_loop},
    {"worksharing", worksharing},
    {"many-loops", many_loops},
    {"tasks", tasks},
    {"task-numbers", numbered_tasks},
    {"task-dependences", dependent_tasks},
    {"inner-teams", inner_teams},
    {"cancellation", cancellation},
    {"processes", processes},
    {"signals", signal_handlers},
};

} // namespace folded
