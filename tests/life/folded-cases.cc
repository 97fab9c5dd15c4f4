// SPDX-License-Identifier: GPL-3.0-or-later
// What C, C++ and POSIX promise to a thread and to a process, in folded teams, beside what
// identity.cc and folded-omp.cc have: an argument names a case, none runs all of them. Cases that
// end the process run in one of their own.
#include "life.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace {

// The size of a team, at least two ids a worker where teams are folded.
int team_size() { return omp_get_max_threads(); }

cpu_set_t whole_mask;

bool has_whole_mask() {
  cpu_set_t mask;
  return sched_getaffinity(0, sizeof mask, &mask) == 0 && CPU_EQUAL(&mask, &whole_mask);
}

// What a child process of `body` ends with, as waitpid has it.
template <typename Body> int child(Body body) {
  const pid_t pid = fork();
  if (pid == 0) {
    body();
    _exit(0);
  }
  int status = 0;
  life::check(pid > 0 && waitpid(pid, &status, 0) == pid, "no child");
  return status;
}

// Runs this program with the case `name`; returns its status.
int program(const char *name, const char *variable = nullptr, const char *value = nullptr) {
  return child([=] {
    if (variable)
      setenv(variable, value, 1);
    execl("/proc/self/exe", "life-folded-cases", name, nullptr);
  });
}

// Storage and state of a thread.

__thread int plain;
std::atomic<int> alive;
struct Counted {
  int value = 0;
  Counted() { alive++; }
  ~Counted() { alive--; }
};
thread_local Counted counted;
int private_value;
#pragma omp threadprivate(private_value)

void storage() {
  const int before = alive;
  private_value = 7;
#pragma omp parallel copyin(private_value)
  {
    const int me = omp_get_thread_num();
    int *const place = &plain;
    life::check(private_value == 7, "copyin: %d", private_value);
    plain = private_value = counted.value = me;
    for (int round = 0; round < 20; round++) {
#pragma omp barrier
      plain++, private_value++, counted.value++;
#pragma omp critical
      life::check(&plain == place, "a thread-local variable has moved");
    }
    life::check(plain == me + 20 && private_value == me + 20 && counted.value == me + 20,
                "thread %d has %d, %d, %d", me, plain, private_value, counted.value);
    int from_one;
#pragma omp single copyprivate(from_one)
    from_one = me + 1000;
    life::check(from_one >= 1000, "copyprivate: %d", from_one);
  }
#pragma omp parallel
  life::check(private_value == omp_get_thread_num() + 20, "thread %d has lost its variables",
              omp_get_thread_num());
  omp_pause_resource_all(omp_pause_hard);
  for (int wait = 0; wait < 10000 && alive > before + 1; wait++)
    usleep(1000);
  life::check(alive <= before + 1, "%d destructors did not run", alive - before - 1);
}

// Processes, threads, modules.

// A thread or child process that a region makes, or that comes after it, is not bound to the core
// of a worker.
void masks() {
  cpu_set_t last = whole_mask;
  for (int cpu = CPU_SETSIZE - 1, kept = 0; cpu >= 0; cpu--)
    if (CPU_ISSET(cpu, &last) && kept++ > 0)
      CPU_CLR(cpu, &last);
  for (int region = 0; region < 50; region++) {
    // The initial thread is bound where a region finds it on another core than its worker's.
    life::set_mask(last);
    life::set_mask(whole_mask);
#pragma omp parallel
    {
#pragma omp barrier
#pragma omp critical
      private_value++;
    }
    life::check(has_whole_mask(), "the initial thread is bound after region %d", region);
  }
  std::thread([] {
    life::check(has_whole_mask(), "a thread made after a region is bound");
  }).join();
  life::check(child([] { _exit(!has_whole_mask()); }) == 0, "a child process is bound");
#pragma omp parallel
  {
#pragma omp barrier
#pragma omp critical
    life::check(child([] { _exit(!has_whole_mask()); }) == 0, "a child of thread %d is bound",
                omp_get_thread_num());
  }
}

void processes() {
#pragma omp parallel
#pragma omp critical
  {
    life::check(child([] {}) == 0, "a child failed");
    void *const module = dlopen("libm.so.6", RTLD_NOW);
    life::check(module && dlclose(module) == 0, "no module");
    int made = 0;
    std::thread([&made] { made = 1; }).join();
    life::check(made == 1, "no thread");
    life::check(program("nothing") == 0, "exec failed");
  }
}

// As many ids run at a time as there are workers, from the first region of each size on.
void one_at_a_time() {
  for (const int size : {team_size(), team_size(), team_size() - 1, team_size()}) {
    std::atomic<int> running{0};
#pragma omp parallel num_threads(size)
    {
      if (life::folded()) {
        const int others = running++;
        life::check(others < ompx_amp_get_num_workers(), "%d of %d run", others + 1, size);
        const double end = omp_get_wtime() + .005;
        while (omp_get_wtime() < end)
          continue;
        running--;
      }
    }
  }
}

// The threads of the last region do not exist in a child, whose initial thread waits.
void children() {
  for (int region = 0; region < 20; region++)
#pragma omp parallel
    for (int i = 0; i < 10; i++) {
#pragma omp barrier
    }
  const int status = child([] {
    omp_lock_t lock;
    omp_init_lock(&lock);
    std::atomic<bool> locked = false;
    std::thread other([&] {
      omp_set_lock(&lock);
      locked = true;
      usleep(10000);
      omp_unset_lock(&lock);
    });
    while (!locked)
      usleep(100);
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
    other.join();
  });
  life::check(status == 0, "a child that waits: %#x", status);
}

// A reduction of tasks outside of regions makes a team around the regions that follow.
void artificial() {
  int tasks = 0;
#pragma omp taskgroup task_reduction(+ : tasks)
  {
#pragma omp task in_reduction(+ : tasks)
    tasks++;
  }
  for (int region = 0; region < 50; region++) {
    int threads = 0;
#pragma omp parallel reduction(+ : threads)
    threads++;
    life::check(threads == team_size(), "a region of %d threads", threads);
    // What the region has freed is used by others.
    std::vector<char> other(4000, 1);
    life::check(has_whole_mask(), "a mask that outlasts region %d", region);
  }
  life::check(tasks == 1, "%d tasks, not 1", tasks);
}

void processors() {
  const int all = omp_get_num_procs();
#pragma omp parallel
  life::check(omp_get_num_procs() == all, "%d of %d processors in a region", omp_get_num_procs(),
              all);
}

void nothing() {}

// Nothing of the library keeps the process alive.
void end_of_first() {
#pragma omp parallel
  {
#pragma omp barrier
  } life::unseen<void(void *)>("pthread_exit")(nullptr);
}

void exit_inside() {
#pragma omp parallel
  {
#pragma omp barrier
    if (omp_get_thread_num() == team_size() - 1)
      std::exit(3);
#pragma omp barrier
  }
}

void abort_inside() {
#pragma omp parallel
  {
#pragma omp barrier
    if (omp_get_thread_num() == team_size() / 2)
      std::abort();
#pragma omp barrier
  }
}

[[gnu::noinline]] int deeper(volatile char *above) {
  volatile char here[4096];
  here[0] = above[0];
  return deeper(here) + here[0];
}

void overflow() {
#pragma omp parallel
  {
#pragma omp barrier
    if (omp_get_thread_num() == team_size() - 1) {
      volatile char first = 1;
      deeper(&first);
    }
#pragma omp barrier
  }
}

[[gnu::noinline]] void fill(size_t size) {
  std::memset(__builtin_alloca(size), 1, size);
  __asm__ volatile("" ::: "memory");
}

// With OMP_STACKSIZE=32M.
void large_stacks() {
#pragma omp parallel
  {
    if (omp_get_thread_num() != 0)
      fill(30 << 20);
#pragma omp barrier
  }
}

void ends() {
  int status = program("exit_inside");
  life::check(WIFEXITED(status) && WEXITSTATUS(status) == 3, "exit in a region: %#x", status);
  status = program("abort_inside");
  life::check(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "abort in a region: %#x", status);
  status = program("overflow");
  life::check(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV, "a full stack: %#x", status);
  status = program("large_stacks", "OMP_STACKSIZE", "32M");
  life::check(status == 0, "OMP_STACKSIZE: %#x", status);
  status = program("end_of_first");
  life::check(status == 0, "the initial thread's end: %#x", status);
}

// Waits that OpenMP's runtime sees only in part.

// How often the threads of worker 0 may look without success when they let each other run. In a
// team that does not switch, a thread looks for 20 ms at least until another one is picked up.
constexpr long kMostLooks = 3000;

// The threads of the first worker, of which each has FIRST ids, let each other run in turn by
// `wait`; returns how often they did.
template <typename Wait> long turns(int first, Wait wait) {
  std::atomic<int> turn{0};
  std::atomic<long> looks{0};
#pragma omp parallel
  {
    // Ids are dealt to the workers in turn.
    const int workers = std::max(1, omp_get_num_threads() / first);
    const bool mine = omp_get_thread_num() % workers == 0;
    const int me = omp_get_thread_num() / workers;
    // After the first barrier one thread of a worker runs at a time.
    for (int round = 0; round < 3; round++) {
#pragma omp barrier
    }
    for (int round = 0; round < 30 && mine; round++) {
      while (turn % first != me) {
        looks++;
        wait();
      }
      turn++;
    }
  }
  life::check(turn == 30 * first, "%d turns", turn.load());
  return looks;
}

int first_worker() {
  const char *const fold = std::getenv("GOMP_AMP_FOLD");
  return fold ? std::atoi(fold) : 1;
}

void switches() {
  const int first = first_worker();
  if (first < 2 || life::stock())
    return;
  long looks = turns(first, [] {
#pragma omp taskyield
  });
  life::check(looks < kMostLooks, "%ld looks with taskyield", looks);
  omp_lock_t lock;
  omp_init_lock(&lock);
  omp_set_lock(&lock);
  looks = turns(first, [&lock] { life::check(!omp_test_lock(&lock), "the lock is free"); });
  life::check(looks < 16 * kMostLooks, "%ld looks with omp_test_lock", looks);
  omp_nest_lock_t nest;
  omp_init_nest_lock(&nest);
  omp_set_nest_lock(&nest);
  looks = turns(first, [&nest] { life::check(!omp_test_nest_lock(&nest), "the lock is free"); });
  life::check(looks < 16 * kMostLooks, "%ld looks with omp_test_nest_lock", looks);
}

// With libamp-yield.so.
void yields() {
  const int first = first_worker();
  if (first < 2)
    life::skip("a worker of one thread has no other");
  const long looks = turns(first, [] { sched_yield(); });
  life::check(looks < kMostLooks, "%ld looks with sched_yield", looks);
}

const struct Case {
  const char *name;
  void (*run)();
  bool alone; // only if it is named
} kCases[] = {
    {"storage", storage, false},        {"masks", masks, false},
    {"processes", processes, false},    {"one_at_a_time", one_at_a_time, false},
    {"children", children, false},      {"artificial", artificial, false},
    {"processors", processors, false},  {"ends", ends, false},
    {"switches", switches, false},      {"yields", yields, true},
    {"nothing", nothing, true},         {"end_of_first", end_of_first, true},
    {"exit_inside", exit_inside, true}, {"abort_inside", abort_inside, true},
    {"overflow", overflow, true},       {"large_stacks", large_stacks, true},
};

} // namespace

int main(int argc, char **argv) {
  life::ours();
  if (argc < 2)
    life::carried();
  sched_getaffinity(0, sizeof whole_mask, &whole_mask);
  bool found = argc < 2;
  for (const Case &entry : kCases)
    if (argc < 2 ? !entry.alone : std::strcmp(argv[1], entry.name) == 0) {
      found = true;
      if (argc < 2)
        std::fprintf(stderr, "%s\n", entry.name);
      entry.run();
    }
  life::check(found, "no case '%s'", argc < 2 ? "" : argv[1]);
  return 0;
}
