// SPDX-License-Identifier: GPL-3.0-or-later
// Chains of forks three deep, where each child goes on with OpenMP:
// fork-chain [other|same factors|detection|hwloc]. At the moment of the fork another thread, or the
// one that forks, is at that point inside the library.
// fork-chain handlers: the program has fork handlers, which run loops.
#include <pthread.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "life.h"

#pragma weak ompx_amp_get_topology_source

constexpr int kDeep = 3;

// Functions that the library calls at such a point.
enum Point { kFactors, kDetection, kHwloc, kPoints };
using Hook = void (*)();
static Hook hooks[kPoints];
static int times_hwloc;

// What is to be done when a thread is next there.
static void at(Point point) {
  if (Hook hook = __atomic_exchange_n(&hooks[point], nullptr, __ATOMIC_ACQ_REL))
    hook();
}

template <typename Function> static Function next(Function, const char *name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

// To name a loop that it has not seen before.
extern "C" FILE *open_memstream(char **text, size_t *size) noexcept {
  static const auto real = next(&open_memstream, "open_memstream");
  at(kFactors);
  return real(text, size);
}

// For the length of the table of classes.
extern "C" long sysconf(int name) noexcept {
  static const auto real = next(&sysconf, "sysconf");
  if (name == _SC_NPROCESSORS_CONF)
    at(kDetection);
  return real(name);
}

extern "C" void *dlopen(const char *name, int mode) noexcept {
  static const auto real = next(&dlopen, "dlopen");
  if (name && std::strstr(name, "hwloc")) {
    times_hwloc++;
    at(kHwloc);
  }
  return real(name, mode);
}

static void ends_well(pid_t child, const char *what) {
  int status;
  life::check(child > 0 && waitpid(child, &status, 0) == child, "%s: no child", what);
  life::check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: the child ended with %#x", what,
              status);
}

// A child has no threads of a pool. Nor has a team within a team, and there this is not allowed.
static void end_pool() {
  if (omp_get_level() == 0)
    life::check(omp_pause_resource_all(omp_pause_hard) == 0, "omp_pause_resource_all");
}

static void use(int threads) {
  static life::Loops<5000> loops;
  // What hangs ends.
  alarm(900);
  for (omp_sched_t kind : life::kKinds)
    loops.run(kind, threads);
  if (threads > 1)
    life::sampled_loop(life::kKinds[0], threads, 1000, [] {});
}

static pid_t by_fork() { return fork(); }
static pid_t by_clone() { return pid_t(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)); }

static void commands() {
  int status = system("exit 3");
  life::check(WIFEXITED(status) && WEXITSTATUS(status) == 3, "system: %#x", status);

  char word[16] = "";
  FILE *pipe = popen("echo word", "r");
  life::check(pipe && std::fgets(word, sizeof word, pipe) && std::strcmp(word, "word\n") == 0,
              "popen: '%s'", word);
  life::check(pclose(pipe) == 0, "pclose");

  pid_t child;
  char shell[] = "/bin/sh", option[] = "-c", command[] = "exit 5";
  char *arguments[] = {shell, option, command, nullptr};
  life::check(posix_spawn(&child, shell, nullptr, nullptr, arguments, environ) == 0, "posix_spawn");
  life::check(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 5,
              "posix_spawn: %#x", status);
}

// DEEP more processes, each a child of the one before, with teams of THREADS.
static void chain(int deep, int threads, pid_t (*make)() = by_fork) {
  if (threads > 1)
    end_pool();
  if (deep == 0) {
    commands();
    return;
  }
  pid_t child = make();
  if (child == 0) {
    use(threads);
    chain(deep - 1, threads, make);
    _exit(0);
  }
  ends_well(child, "a child in a chain");
  use(threads);
}

static const char *source() {
  return &ompx_amp_get_topology_source ? ompx_amp_get_topology_source() : "none";
}

// Where the classes are from in a process that nothing happens to.
static std::string undisturbed_source() {
  char text[64] = "";
  int ends[2];
  life::check(pipe(ends) == 0, "pipe");
  pid_t child = fork();
  if (child == 0) {
    const char *found = source();
    _exit(write(ends[1], found, std::strlen(found)) < 0);
  }
  close(ends[1]);
  life::check(read(ends[0], text, sizeof text - 1) >= 0, "read");
  ends_well(child, "a child that tells the source of its classes");
  return text;
}

static Point point;
static std::string undisturbed;
static bool in_child;

static void go_on_in_child(int times_hwloc_before) {
  use(2);
  if (point == kDetection)
    life::check(source() == undisturbed, "the classes are from %s, not %s", source(),
                undisturbed.c_str());
  if (point == kHwloc)
    life::check(times_hwloc == times_hwloc_before, "a child asks an hwloc in an unknown state");
  chain(kDeep, 2);
}

// A loop that the library has not seen before, for each N.
template <int N> __attribute__((noinline)) static void new_loop() {
  long sum = 0;
  omp_set_schedule(life::kKinds[0], 0);
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
#pragma omp for schedule(nonmonotonic : runtime) nowait
    for (int i = 0; i < 1000; i++)
      sum += i + N;
    // The rest of the team does not exist there.
    if (in_child) {
      go_on_in_child(times_hwloc);
      _exit(0);
    }
  }
  life::check(sum == 499500 + 1000 * N, "the sum is %ld", sum);
}

// Come to the point.
template <int N> static void *come(void *) {
  if (point == kFactors)
    new_loop<N>();
  else
    source();
  return nullptr;
}

static bool there, forked;

// The library's fork handler waits for a thread that is there.
static void stay_a_while() {
  __atomic_store_n(&there, true, __ATOMIC_RELEASE);
  usleep(200000);
}

// It must not wait for this one.
static void stay_until_forked() {
  __atomic_store_n(&there, true, __ATOMIC_RELEASE);
  while (!__atomic_load_n(&forked, __ATOMIC_ACQUIRE))
    usleep(1000);
}

template <int deep> static void beside_other() {
  pthread_t thread;
  end_pool();
  there = forked = false;
  hooks[point] = point == kFactors ? stay_a_while : stay_until_forked;
  life::check(pthread_create(&thread, nullptr, come<deep>, nullptr) == 0, "pthread_create");
  while (!__atomic_load_n(&there, __ATOMIC_ACQUIRE))
    usleep(1000);
  const int times = times_hwloc;
  pid_t child = fork();
  if (child == 0) {
    alarm(900);
    // Nobody else is there now.
    hooks[point] = nullptr;
    if constexpr (deep > 1)
      // An hwloc that was at work is not asked again.
      if (point != kHwloc)
        beside_other<deep - 1>();
    come<deep>(nullptr);
    go_on_in_child(times);
    _exit(0);
  }
  __atomic_store_n(&forked, true, __ATOMIC_RELEASE);
  ends_well(child, "a fork beside a thread inside the library");
  pthread_join(thread, nullptr);
  use(2);
}

static bool child_returns;

static void fork_there() {
  const int times = times_hwloc;
  pid_t child = fork();
  if (child == 0) {
    in_child = true;
    alarm(900);
    if (child_returns)
      return;
    go_on_in_child(times);
    _exit(0);
  }
  ends_well(child, child_returns ? "a child that returns into the library"
                                 : "a child made inside the library");
}

// The thread that forks is at the point itself, as in a handler of a signal.
static void inside() {
  omp_set_max_active_levels(2);
  // Each in a process of its own, as the classes are found once.
  for (bool returns : {false, true}) {
    pid_t child = fork();
    if (child == 0) {
      child_returns = returns;
      hooks[point] = fork_there;
      come<10>(nullptr);
      life::check(!hooks[point], "the library did not come to that point");
      if (in_child)
        go_on_in_child(times_hwloc);
      else
        use(2);
      _exit(0);
    }
    ends_well(child, "a process that forks inside the library");
  }
}

static void chains() {
  chain(kDeep, 1);
  use(2);
  chain(kDeep, 1);
  chain(kDeep, 2);
  // These run no handlers; there is one thread.
  chain(kDeep, 2, by_clone);
#if __GLIBC_PREREQ(2, 34)
  chain(kDeep, 2, _Fork);
#endif
}

template <int N> static void handler() {
  new_loop<N>();
  end_pool();
}

int main(int argc, char **argv) {
  life::ours();
  alarm(900);
  if (argc == 2)
    life::check(pthread_atfork(handler<20>, handler<21>, handler<22>) == 0, "pthread_atfork");
  if (argc < 3) {
    chains();
    return 0;
  }
  if (life::stock())
    life::skip("the system's library has no such point");
  const std::string whose = argv[1], where = argv[2];
  point = where == "factors" ? kFactors : where == "detection" ? kDetection : kHwloc;
  if (point != kFactors)
    undisturbed = undisturbed_source();
  if (point == kHwloc && undisturbed != "hwloc" && undisturbed != "none")
    life::skip("the classes are from %s: hwloc is not asked", undisturbed.c_str());
  if (whose == "other")
    beside_other<kDeep>();
  else
    inside();
  return 0;
}
