// SPDX-License-Identifier: GPL-3.0-or-later
// What happens to a process with folded teams: forks, signals, ends, modules, limits. An
// argument names a case, none runs all of them.
//
// It imports nothing that speaks of the kernel's threads: its ids are carried.
//
// folded-process [<case>] [<module without such imports> <module with one>]
#include "life.h"
#include "tormentor.h"

#include <csetjmp>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

extern char **environ;

namespace {

const char *modules[2];

// How often each id of the present region ran.
std::vector<std::atomic<int>> ran(64);

void mark() { ran[size_t(omp_get_thread_num())]++; }

void check_once(int size, const char *what) {
  for (int id = 0; id < 64; id++)
    life::check(ran[size_t(id)].exchange(0) == (id < size), "%s: id %d of %d did not run once",
                what, id, size);
}

// The pool's first region makes its threads.
void make_threads() {
#pragma omp parallel
  mark();
  check_once(omp_get_max_threads(), "the first region");
}

// Regions of functions of their own for each N. All ids of the second kind meet at a barrier, and
// those of the third kind outside of OpenMP.

template <int N, typename Body> void leaf(const Body &body) {
#pragma omp parallel
  {
    mark();
    body();
  }
  check_once(omp_get_max_threads(), "a region");
}

template <int N, typename Body> void meeting(const Body &body) {
#pragma omp parallel
  {
    mark();
    body();
#pragma omp barrier
    body();
  }
  check_once(omp_get_max_threads(), "a region with a barrier");
}

template <int N, typename Body> void meeting_outside(const Body &body) {
  std::atomic<int> begun{0};
#pragma omp parallel
  {
    mark();
    body();
    begun++;
    while (begun < omp_get_num_threads())
      usleep(100);
  }
  check_once(omp_get_max_threads(), "a region that meets outside of OpenMP");
}

// Each kind.
template <int N, typename Body> void each_kind(const Body &body) {
  for (int round = 0; round < 5; round++)
    leaf<N>(body);
  meeting<N>(body);
  meeting_outside<N>(body);
}

template <typename Body, int... N>
void each_kind_often(const Body &body, std::integer_sequence<int, N...>) {
  (each_kind<N>(body), ...);
}

using Few = std::make_integer_sequence<int, 4>;

int status_of(pid_t pid) {
  int status = 0;
  life::check(pid > 0 && waitpid(pid, &status, 0) == pid, "no child");
  return status;
}

void ends_with(int status, int code, const char *what) {
  life::check(WIFEXITED(status) && WEXITSTATUS(status) == code, "%s: status %#x", what, status);
}

// Runs this program with one case, as what has a pool of its own.
int program(const char *name) {
  const pid_t pid = fork();
  if (pid == 0) {
    execl("/proc/self/exe", "life-folded-process", name, nullptr);
    _exit(9);
  }
  return status_of(pid);
}

// Processes.

void children() {
  each_kind_often(
      [] {
        if (omp_get_thread_num() % 2 == 0)
          return;
        const pid_t pid = fork();
        if (pid == 0) {
          cpu_set_t mask;
          sched_getaffinity(0, sizeof mask, &mask);
          std::thread([] {}).join();
          omp_lock_t lock;
          omp_init_lock(&lock);
          omp_set_lock(&lock);
          omp_unset_lock(&lock);
          int threads = 0;
#pragma omp parallel num_threads(1) reduction(+ : threads)
          threads++;
          const pid_t grandchild = fork();
          if (grandchild == 0)
            _exit(5);
          int status = 0;
          waitpid(grandchild, &status, 0);
          _exit(threads == 1 && WEXITSTATUS(status) == 5 ? 3 : 4);
        }
        ends_with(status_of(pid), 3, "a child");
      },
      std::make_integer_sequence<int, 2>());
}

// A child starts threads on what the C library takes for free: the stacks of all threads but the
// id's, and its kernel thread may have been another one's.
void children_with_threads() {
  const auto start = [] {
    std::vector<std::thread> threads;
    for (int i = 0; i < 12; i++)
      threads.emplace_back([] { usleep(100); });
    for (std::thread &thread : threads)
      thread.join();
  };
  for (int region = 0; region < 3; region++)
#pragma omp parallel
  {
#pragma omp barrier
#pragma omp critical
    {
      const pid_t pid = fork();
      if (pid == 0) {
        for (int time = 0; time < 3; time++)
          start();
        usleep(5000);
        _exit(3);
      }
      ends_with(status_of(pid), 3, "a child with threads");
    }
#pragma omp barrier
  }
}

// A thread that has no pool forks while regions run; the child has pools of its own.
void children_of_another() {
  std::atomic<bool> done{false};
  std::thread other([&done] {
    for (int child = 0; child < 5; child++) {
      const pid_t pid = fork();
      if (pid == 0) {
        alarm(900);
        // The other thread may be in the middle of a region.
        for (auto &count : ran)
          count = 0;
        make_threads();
        each_kind<10>([] {});
        _exit(3);
      }
      ends_with(status_of(pid), 3, "a child of another thread");
    }
    done = true;
  });
  while (!done) {
    leaf<11>([] {});
    meeting<11>([] {});
  }
  other.join();
}

void programs_inside() {
  each_kind_often(
      [] {
        const int me = omp_get_thread_num();
        if (me % 4 == 0)
          ends_with(std::system("exit 3"), 3, "system");
        if (me % 4 == 1) {
          FILE *const pipe = popen("exit 3", "r");
          ends_with(pclose(pipe), 3, "popen");
        }
        if (me % 4 == 2) {
          const char *const argv[] = {"sh", "-c", "exit 3", nullptr};
          pid_t pid = 0;
          life::check(posix_spawn(&pid, "/bin/sh", nullptr, nullptr,
                                  const_cast<char *const *>(argv), environ) == 0,
                      "posix_spawn");
          ends_with(status_of(pid), 3, "posix_spawn");
        }
        if (me % 4 == 3) {
          const pid_t pid = vfork();
          if (pid == 0) {
            execl("/bin/sh", "sh", "-c", "exit 3", nullptr);
            _exit(9);
          }
          ends_with(status_of(pid), 3, "vfork");
        }
      },
      std::make_integer_sequence<int, 1>());
}

// The end of a process, in a region of a kind, by its first or last id.
template <typename End> void end_in(int kind, bool last, const End &end) {
  make_threads();
  const auto body = [&] {
    if (omp_get_thread_num() == (last ? omp_get_num_threads() - 1 : 0))
      end();
  };
  if (kind == 0)
    leaf<20>(body);
  else if (kind == 1)
    meeting<20>(body);
  else
    meeting_outside<20>(body);
  _exit(8);
}

[[gnu::noinline]] int deeper(volatile char *above) {
  volatile char here[4096];
  here[0] = above[0];
  return deeper(here) + here[0];
}

void end_by(const std::string &way) {
  const int kind = way[1] - '0';
  const bool last = way[2] == 'l';
  const std::string how = way.substr(3);
  if (how == "exit")
    end_in(kind, last, [] { std::exit(4); });
  if (how == "quick")
    end_in(kind, last, [] { std::quick_exit(4); });
  if (how == "exec")
    end_in(kind, last, [] { execl("/bin/sh", "sh", "-c", "exit 4", nullptr); });
  if (how == "abort")
    end_in(kind, last, [] { std::abort(); });
  if (how == "overflow")
    end_in(kind, last, [] {
      volatile char first = 1;
      deeper(&first);
    });
}

void ends() {
  for (int kind = 0; kind < 3; kind++)
    for (const char *const who : {"f", "l"})
      for (const std::string how : {"exit", "quick", "exec", "abort", "overflow"}) {
        const std::string way = "-" + std::to_string(kind) + who + how;
        const int status = program(way.c_str());
        if (how == "abort" || how == "overflow")
          life::check(WIFSIGNALED(status) &&
                          WTERMSIG(status) == (how == "abort" ? SIGABRT : SIGSEGV),
                      "%s: status %#x", way.c_str(), status);
        else
          ends_with(status, 4, way.c_str());
      }
}

// Regions after the end of main.
struct AtExit {
  ~AtExit() {
    if (runs)
      each_kind<21>([] {});
  }
  bool runs = false;
} static_object;

void exit_handlers() { ends_with(program("-handlers"), 4, "regions at exit"); }

[[noreturn]] void run_at_exit() {
  static_object.runs = true;
  make_threads();
  std::atexit([] { each_kind<22>([] {}); });
  leaf<22>([] {});
  std::exit(4);
}

// Nothing of the library keeps the process alive.
void initial_thread() { ends_with(program("-initial"), 0, "the initial thread's end"); }

[[noreturn]] void end_initial_thread() {
  make_threads();
  each_kind<23>([] {});
  life::unseen<void(void *)>("pthread_exit")(nullptr);
  __builtin_unreachable();
}

// Signals.

std::atomic<long> handled;

void signals() {
  struct sigaction action = {}, old;
  action.sa_handler = [](int) {
    const int id = omp_get_thread_num();
    life::check(id >= 0 && id < omp_get_num_threads(), "a signal in id %d", id);
    sched_yield();
    handled++;
  };
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, &old);
  const itimerval often = {{0, 500}, {0, 500}}, never = {};
  setitimer(ITIMER_REAL, &often, nullptr);
  const long before = handled;
  do
    each_kind_often([] { usleep(1000); }, Few());
  while (handled < before + 50);
  setitimer(ITIMER_REAL, &never, nullptr);
  sigaction(SIGALRM, &old, nullptr);
}

void signals_on_another_stack() {
  const auto set_stack = life::unseen<int(const stack_t *, stack_t *)>("sigaltstack");
  struct sigaction action = {}, old;
  action.sa_handler = [](int) { handled++; };
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &action, &old);
  const long before = handled;
  each_kind<30>([set_stack] {
    std::vector<char> memory(65536);
    stack_t stack = {}, none = {};
    stack.ss_sp = memory.data();
    stack.ss_size = memory.size();
    none.ss_flags = SS_DISABLE;
    // No id waits in between: the stack is the kernel thread's.
    set_stack(&stack, nullptr);
    raise(SIGUSR1);
    set_stack(&none, nullptr);
  });
  life::check(handled - before == 8L * omp_get_max_threads(), "%ld signals", handled - before);
  sigaction(SIGUSR1, &old, nullptr);
}

void jumps() {
  std::atomic<int> caught{0};
  each_kind<31>([&caught] {
    try {
      throw omp_get_thread_num();
    } catch (const int id) {
      caught += id == omp_get_thread_num();
    }
    jmp_buf place;
    if (setjmp(place) == 0)
      longjmp(place, 1);
    else
      caught++;
  });
  life::check(caught == 16 * omp_get_max_threads(), "%d were caught", caught.load());
}

void stopped() {
  life::torment(
      20,
      [](pid_t victim, int) {
        if (kill(victim, SIGSTOP) != 0)
          _exit(1);
        usleep(3000);
        if (kill(victim, SIGCONT) != 0)
          _exit(1);
      },
      [] {
        leaf<32>([] {});
        meeting<32>([] {});
      });
}

// Modules.

using Misses = int (*)(int regions, int ids);

int misses_of(const char *name, const void **region) {
  void *const module = dlopen(name, RTLD_NOW);
  life::check(module != nullptr, "%s", dlerror());
  *region = dlsym(module, "region");
  const int missed = reinterpret_cast<Misses>(dlsym(module, "misses"))(30, omp_get_max_threads());
  life::check(dlclose(module) == 0, "%s", dlerror());
  return missed;
}

void reloaded() {
  if (!modules[0])
    return;
  const void *region;
  for (int round = 0; round < 10; round++)
    life::check(misses_of(modules[0], &region) == 0, "a module that was loaded again");
}

void copy(const char *from, const char *to) {
  std::ofstream(to, std::ios::binary) << std::ifstream(from, std::ios::binary).rdbuf();
}

// A module is unloaded, its file is replaced by one whose ids need kernel threads of their own, and
// loaded again, at the same address by the same name.
void replaced() {
  if (!modules[0])
    return;
  char name[] = "/tmp/life-folded-XXXXXX";
  close(mkstemp(name));
  const void *first = nullptr, *second = nullptr;
  int missed = 0;
  for (int round = 0; round < 3; round++) {
    unlink(name);
    copy(modules[0], name);
    misses_of(name, &first);
    unlink(name);
    copy(modules[1], name);
    missed += misses_of(name, &second);
  }
  unlink(name);
  life::check(missed == 0, "%d times an id had another kernel thread%s", missed,
              first == second ? "" : ", at another address");
}

// Limits.

// Stands in for the C library's: no more threads can be made.
std::atomic<bool> no_threads;

void without_more_threads() {
  // The watching thread ends after a second without a region.
  usleep(1500000);
  no_threads = true;
  // The other threads sleep when the ids meet.
  meeting<40>([] { usleep(20000); });
  meeting_outside<40>([] {});
  leaf<40>([] {});
  no_threads = false;
  each_kind<41>([] {});
}

void without_more_files() {
  rlimit old;
  getrlimit(RLIMIT_NOFILE, &old);
  rlimit none = old;
  none.rlim_cur = 3;
  setrlimit(RLIMIT_NOFILE, &none);
  each_kind<42>([] {});
  setrlimit(RLIMIT_NOFILE, &old);
}

void without_more_memory() {
  rlimit old;
  getrlimit(RLIMIT_AS, &old);
  rlimit none = old;
  none.rlim_cur = size_t(life::status("VmSize:")) * 1024;
  leaf<43>([] {});
  setrlimit(RLIMIT_AS, &none);
  leaf<43>([] {});
  meeting<43>([] {});
  meeting_outside<43>([] {});
  setrlimit(RLIMIT_AS, &old);
}

// All threads are moved to each CPU in turn, and may then run everywhere again.
void moved() {
  cpu_set_t all;
  sched_getaffinity(0, sizeof all, &all);
  std::atomic<bool> done{false};
  std::thread other([&] {
    for (int round = 0; round < 30; round++) {
      for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &all))
          continue;
        const std::string command = "taskset -apc " + std::to_string(cpu) + " " +
                                    std::to_string(getpid()) + " > /dev/null 2>&1";
        if (std::system(command.c_str()) != 0)
          break;
      }
      usleep(1000);
    }
    done = true;
  });
  while (!done) {
    leaf<44>([] {});
    meeting<44>([] {});
  }
  other.join();
  life::set_mask(all);
  each_kind<45>([] {});
}

// A thread binds itself in a region.
void bound() {
  each_kind<46>([] {
    if (omp_get_thread_num() != 1)
      return;
    cpu_set_t mask, one;
    sched_getaffinity(0, sizeof mask, &mask);
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    life::set_mask(one);
    life::set_mask(mask);
  });
}

void busy_machine() {
  std::vector<pid_t> others;
  for (int i = 0; i < 4; i++) {
    others.push_back(fork());
    if (others.back() == 0)
      for (alarm(60);;)
        continue;
  }
  each_kind_often([] { usleep(10); }, Few());
  for (const pid_t pid : others) {
    kill(pid, SIGKILL);
    status_of(pid);
  }
}

void pools() {
  std::vector<std::thread> threads;
  std::vector<std::atomic<int>> sums(8);
  for (size_t n = 0; n < 8; n++)
    threads.emplace_back([n, &sums] {
      for (int round = 0; round < 20; round++) {
#pragma omp parallel
        sums[n]++;
#pragma omp parallel
        {
          sums[n]++;
#pragma omp barrier
          sums[n]++;
        }
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const auto &sum : sums)
    life::check(sum == 60 * omp_get_max_threads(), "%d ids", sum.load());
}

void pauses() {
  for (const auto kind : {omp_pause_soft, omp_pause_hard, omp_pause_soft}) {
    make_threads();
    each_kind<50>(
        [kind] { life::check(omp_pause_resource_all(kind) != 0, "a pause in a region"); });
    life::check(omp_pause_resource_all(kind) == 0, "no pause");
  }
}

void inner_teams() {
  omp_set_max_active_levels(2);
  std::atomic<int> threads{0};
  each_kind<51>([&threads] {
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
      threads++;
    }
  });
  life::check(threads == 16 * omp_get_max_threads(), "%d threads", threads.load());
  omp_set_max_active_levels(1);
}

const struct {
  const char *name;
  void (*body)();
} kCases[] = {
    {"children", children},
    {"children-with-threads", children_with_threads},
    {"children-of-another", children_of_another},
    {"programs", programs_inside},
    {"ends", ends},
    {"exit-handlers", exit_handlers},
    {"initial-thread", initial_thread},
    {"signals", signals},
    {"another-stack", signals_on_another_stack},
    {"jumps", jumps},
    {"stopped", stopped},
    {"reloaded", reloaded},
    {"replaced", replaced},
    {"no-threads", without_more_threads},
    {"no-files", without_more_files},
    {"no-memory", without_more_memory},
    {"moved", moved},
    {"bound", bound},
    {"busy", busy_machine},
    {"pools", pools},
    {"pauses", pauses},
    {"inner-teams", inner_teams},
};

} // namespace

extern "C" int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
                              void *data) noexcept {
  using Function = int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  static const auto next = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "pthread_create"));
  return no_threads ? EAGAIN : next(thread, attr, start, data);
}

int main(int argc, char **argv) {
  life::ours();
  life::carried();
  const std::string name = argc > 1 ? argv[1] : "all";
  if (name == "-handlers")
    run_at_exit();
  if (name == "-initial")
    end_initial_thread();
  if (name[0] == '-')
    end_by(name);
  if (argc > 3) {
    modules[0] = argv[2];
    modules[1] = argv[3];
  }
  bool any = false;
  for (const auto &test : kCases)
    if (name == "all" || name == test.name) {
      any = true;
      make_threads();
      test.body();
      if (std::getenv("VERBOSE"))
        std::printf("%s at %.2f s\n", test.name, omp_get_wtime());
    }
  life::check(any, "no case %s", name.c_str());
  return 0;
}
