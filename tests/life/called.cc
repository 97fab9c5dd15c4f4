// SPDX-License-Identifier: GPL-3.0-or-later
// Called regions (GOMP_AMP_FOLD_CALLS): what a program can see of them. An argument names a case,
// none runs all of them.
//
// Each region of a case is a function of its own that runs again and again: first by turns, then
// called, and if its threads wait for each other by turns afterwards, until the pool is given up.
#include "life.h"

#include <omp.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <future>
#include <string>
#include <utility>
#include <vector>

namespace {

const int kRounds = 200;

// Each first run of a region takes turns. Regions of which one called run is wanted run twice, and
// do nothing when they take turns.
const bool kRuns[] = {false, true};

// The pool's first region makes its threads and is never called.
void make_threads() {
  const int size = omp_get_max_threads();
  int threads = 0;
#pragma omp parallel num_threads(size) reduction(+ : threads)
  threads++;
  life::check(threads == size, "%d threads, not %d", threads, size);
}

// How often each id of the present region ran.
std::vector<std::atomic<int>> ran(64);

void check_once(int size, const char *what) {
  for (int id = 0; id < 64; id++)
    life::check(ran[id].exchange(0) == (id < size), "%s: id %d of %d did not run once", what, id,
                size);
}

void mark() {
  const int id = omp_get_thread_num();
  life::check(id >= 0 && id < 64, "id %d", id);
  ran[id]++;
}

void work(int steps) {
  volatile double x = 1;
  for (int i = 0; i < steps; i++)
    x = x * 1.000001;
}

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

// No two threads have a number at a time. A region for each N, as its third run is by turns.
template <int N> void numbered_tasks() {
  std::vector<std::atomic<int>> using_it(64);
  for (const bool called : kRuns) {
#pragma omp parallel
    {
      mark();
#pragma omp master
      for (int i = 0; called && i < 60; i++) {
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

template <int... N> void each_numbered(std::integer_sequence<int, N...>) {
  (numbered_tasks<N>(), ...);
}

void task_numbers() { each_numbered(std::make_integer_sequence<int, 20>()); }

// Tasks of the last id that depend on each other.
template <int N> void dependent_tasks() {
  int chain = 0;
  for (const bool called : kRuns) {
#pragma omp parallel
    {
      mark();
      if (called && omp_get_thread_num() == omp_get_num_threads() - 1)
        for (int i = 0; i < 20; i++) {
#pragma omp task depend(inout : chain)
          life::check(chain++ == i, "task %d comes as %d", i, chain - 1);
        }
    }
    check_once(omp_get_max_threads(), "dependent tasks");
  }
  life::check(chain == 20, "%d of 20", chain);
}

template <int... N> void each_dependent(std::integer_sequence<int, N...>) {
  (dependent_tasks<N>(), ...);
}

void task_dependences() { each_dependent(std::make_integer_sequence<int, 20>()); }

// A region that is called once only: its tasks are shared out all the same.
void tasks_once() {
  std::atomic<int> started{0};
  for (const bool called : kRuns) {
#pragma omp parallel
    {
#pragma omp master
      for (int i = 0; called && i < 8; i++) {
#pragma omp task
        {
          started++;
          // Two tasks at least run at a time. A hang is a failure.
          while (started < 2)
            usleep(1000);
        }
      }
    }
  }
  life::check(started == 8, "%d tasks", +started);
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

// A process that ends in a region.
void ends() {
  for (int way = 0; way < 3; way++) {
    const pid_t pid = fork();
    if (pid == 0) {
      // A process with a pool of its own.
      execl("/proc/self/exe", "life-called",
            way == 0   ? "-exit"
            : way == 1 ? "-exec"
                       : "-thread",
            nullptr);
      _exit(9);
    }
    int status = 0;
    life::check(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
                    WEXITSTATUS(status) == 4,
                "way %d ends with status %d", way, status);
  }
}

[[noreturn]] void end_by(const std::string &way) {
  make_threads();
  for (const bool called : kRuns) {
#pragma omp parallel
    {
      work(1000);
      if (called && omp_get_thread_num() == omp_get_num_threads() - 1) {
        if (way == "-exec")
          execl("/bin/sh", "sh", "-c", "exit 4", nullptr);
        if (way == "-exit")
          std::exit(4);
      }
    }
  }
  std::_Exit(way == "-thread" ? 4 : 8);
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

// Pools that end, and of several threads.
void pools() {
  for (int round = 0; round < 3; round++) {
    static_loop();
    omp_pause_resource_all(omp_pause_hard);
    // Imports thread-local variables of libstdc++, and is called all the same.
    std::async(std::launch::async, static_loop).get();
    make_threads();
  }
}

// In a long region the initial thread stays on its worker's core. After it the thread is free.
void long_regions() {
  cpu_set_t whole, mask;
  life::check(sched_getaffinity(0, sizeof whole, &whole) == 0, "no mask");
  // The first run takes turns, and so do the next ones if that moved ids.
  bool called = false;
  for (int round = 0; round < 10; round++) {
    int cpus = 0;
#pragma omp parallel
    if (omp_get_thread_num() == 0) {
      const double end = omp_get_wtime() + .003;
      while (omp_get_wtime() < end) {
      }
      if (sched_getaffinity(0, sizeof mask, &mask) == 0)
        cpus = CPU_COUNT(&mask);
    }
    called |= cpus == 1;
    life::check(!called || cpus == 1, "round %d: the initial thread may run on %d CPUs", round,
                cpus);
    life::check(sched_getaffinity(0, sizeof mask, &mask) == 0 && CPU_EQUAL(&mask, &whole),
                "round %d: the initial thread is still bound", round);
  }
  life::check(called, "no run was called");
}

// Regions of both kinds and of all sizes in turn, and no more threads than before.
void alternation() {
  for (int round = 0; round < kRounds; round++) {
    const int size = 2 + round * 7 % (2 * omp_get_max_threads());
    std::atomic<int> met{0};
#pragma omp parallel num_threads(size)
    mark();
    check_once(size, "called of several sizes");
#pragma omp parallel num_threads(size)
    {
      mark();
      met++;
#pragma omp barrier
      life::check(met == size, "%d of %d", +met, size);
    }
    check_once(size, "turns of several sizes");
  }
}

const struct {
  const char *name;
  void (*body)();
} kCases[] = {
    {"numbers", numbers},
    {"static-loop", static_loop},
    {"worksharing", worksharing},
    {"many-loops", many_loops},
    {"barriers", barriers},
    {"ordered", ordered},
    {"doacross", doacross},
    {"tasks", tasks},
    {"task-numbers", task_numbers},
    {"task-dependences", task_dependences},
    {"tasks-once", tasks_once},
    {"inner-teams", inner_teams},
    {"cancellation", cancellation},
    {"locks", locks},
    {"memory", memory},
    {"inner-yields", [] { yield_in_inner_teams(1, false); }},
    {"inner-threads-yield", [] { yield_in_inner_teams(2, true); }},
    {"inner-memory", memory_in_inner_teams},
    {"detached", detached},
    {"chain-in-memory", chain_in_memory},
    {"processes", processes},
    {"ends", ends},
    {"signals", signal_handlers},
    {"pools", pools},
    {"alternation", alternation},
    {"long-regions", long_regions},
};

} // namespace

int main(int argc, char **argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  if (name[0] == '-')
    end_by(name);
  life::ours();
  bool any = false;
  for (const auto &test : kCases)
    if (name.empty() || name == test.name) {
      any = true;
      make_threads();
      test.body();
      if (std::getenv("VERBOSE"))
        std::printf("%s\n", test.name);
    }
  life::check(any, "no case %s", name.c_str());
  return 0;
}
