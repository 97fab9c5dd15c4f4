// SPDX-License-Identifier: GPL-3.0-or-later
// Habits of programs that folding must bear: what they do with the number of processors, with
// stacks, with threads and processes that they start in regions, and with their masks.
//
// folded-habits <case>
#include "life.h"

#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include <alloca.h>
#include <atomic>
#include <cerrno>
#include <future>
#include <string>
#include <thread>
#include <vector>

extern "C" int omp_get_num_procs_();
extern char **environ;

namespace {

constexpr int kRegions = 40;
int whole; // how many CPUs the process may use

int mask() {
  cpu_set_t set;
  life::check(sched_getaffinity(0, sizeof set, &set) == 0, "no mask");
  return CPU_COUNT(&set);
}

void compute(double seconds) {
  const double end = omp_get_wtime() + seconds;
  while (omp_get_wtime() < end) {
  }
}

// Arrays have an element for each processor.
void procs() {
  const int n = omp_get_num_procs();
  life::check(n >= omp_get_max_threads() && omp_get_num_procs_() == n, "%d processors", n);
  std::vector<int> seen(n);
  for (int i = 0; i < kRegions; i++) {
    int most = 0;
#pragma omp parallel reduction(max : most)
    {
      life::check(omp_get_num_procs() == n, "%d processors in a region", omp_get_num_procs());
      most = omp_get_thread_num();
      seen.at(size_t(most))++;
    }
    life::check(most < n, "thread %d of %d processors", most, n);
  }
#pragma omp parallel num_threads(omp_get_num_procs())
  life::check(ompx_amp_get_worker_num() >= 0, "a team of as many threads is not folded");
  // A thread that the program confines has the processors that are left.
  std::thread([] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    life::set_mask(one);
    life::check(omp_get_num_procs() == 1, "%d processors of one", omp_get_num_procs());
  }).join();
}

[[gnu::noinline]] int deep(size_t bytes) {
  auto *const memory = static_cast<volatile char *>(alloca(bytes));
  int sum = 0;
  for (size_t i = 0; i < bytes; i += 4096)
    sum += memory[i] = 1;
  return sum;
}

// OMP_STACKSIZE is for all threads but the initial one.
void stack() {
  for (int i = 0; i < kRegions; i++) {
    int sum = 0;
#pragma omp parallel reduction(+ : sum)
    if (omp_get_thread_num() != 0)
      sum += deep(24 << 20);
    life::check(sum == (omp_get_max_threads() - 1) * (24 << 8), "%d pages", sum);
  }
}

// The team is on a stack of the program's, as a coroutine's.
void other_stack() {
  std::thread([] { stack(); }).join();
}

// Stands in for the C library's function where `left` is not negative.
std::atomic<int> left{-1};

void few_threads(int threads) {
  const int asked = omp_get_max_threads();
  left = threads + 1; // one watches
  for (int i = 0; i < kRegions; i++) {
    int size = 0;
#pragma omp parallel reduction(+ : size)
    {
      life::check(omp_get_num_threads() == 1 + threads, "a team of %d", omp_get_num_threads());
#pragma omp barrier
      size++;
    }
    life::check(size == 1 + threads, "%d threads, not 1 + %d", size, threads);
  }
  life::check(omp_get_max_threads() == 1 + threads, "%d of %d threads", omp_get_max_threads(),
              asked);
  left = -1;
  int size = 0;
#pragma omp parallel num_threads(asked) reduction(+ : size)
  size++;
  life::check(size == asked, "%d threads, not %d", size, asked);
}

// What the program asks for is upstream's business: it ends.
void few_threads_asked() {
  left = 2;
#pragma omp parallel num_threads(7)
  compute(.001);
}

// What a region starts may run where the process may.

int status_of(pid_t pid) {
  int status = -1;
  life::check(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status), "a child");
  return WEXITSTATUS(status);
}

// This program, to exit with the number of CPUs that it may use.
char self[] = "/proc/self/exe", count[] = "count";
char *const arguments[] = {self, count, nullptr};

int of_thread() {
  int found = 0;
  std::thread([&] { found = mask(); }).join();
  return found;
}
int of_async() { return std::async(std::launch::async, mask).get(); }
int of_c11_thread() {
  thrd_t thread;
  int found = 0;
  life::check(thrd_create(
                  &thread, [](void *) { return mask(); }, nullptr) == thrd_success,
              "thrd");
  thrd_join(thread, &found);
  return found;
}
int of_spawn() {
  pid_t pid = 0;
  life::check(posix_spawn(&pid, self, nullptr, nullptr, arguments, environ) == 0, "posix_spawn");
  return status_of(pid);
}
int of_system() {
  const std::string command = "/proc/" + std::to_string(getpid()) + "/exe count";
  return WEXITSTATUS(std::system(command.c_str()));
}
int of_popen() {
  int found = 0;
  FILE *const pipe = popen("nproc", "r");
  life::check(pipe && std::fscanf(pipe, "%d", &found) == 1, "popen");
  pclose(pipe);
  return found;
}
int of_vfork() {
  const pid_t pid = vfork();
  if (pid == 0) {
    execl(self, self, count, nullptr);
    _exit(99);
  }
  return status_of(pid);
}
int of_fork() {
  const pid_t pid = fork();
  if (pid == 0)
    _exit(mask());
  return status_of(pid);
}

void started() {
  int (*const ways[])() = {of_thread, of_async, of_c11_thread, of_spawn,
                           of_system, of_popen, of_vfork,      of_fork};
  int number = 0;
  for (const auto way : ways) {
    for (int i = 0; i < 6; i++) {
#pragma omp parallel
      {
        compute(.002);
        const int before = mask();
        if (omp_get_thread_num() == i % omp_get_num_threads()) {
          const int found = way();
          life::check(found == whole, "way %d from thread %d: %d CPUs of %d", number, i, found,
                      whole);
          life::check(mask() == before, "way %d: a thread has %d CPUs, not %d", number, mask(),
                      before);
        }
      }
    }
    number++;
  }
}

// The process becomes another program in a region.
void becomes(bool last) {
  for (int i = 0; i < kRegions; i++) {
#pragma omp parallel
    {
      compute(.0005);
      if (i == kRegions - 1 && omp_get_thread_num() == (last ? omp_get_num_threads() - 1 : 0))
        execlp(self, self, "is-whole", std::to_string(whole).c_str(), nullptr);
    }
  }
}

// What the initial thread sets for itself in a region stays.
void own_mask() {
  cpu_set_t set, now;
  CPU_ZERO(&set);
  // What amp-run preloads, if it is there: the CPU may be the worker's.
  const auto set_mask = life::unseen<int(pid_t, size_t, const cpu_set_t *)>("sched_setaffinity");
  for (int i = 0; i < 6; i++) {
#pragma omp parallel
    {
      compute(.002);
      if (i == 3 && omp_get_thread_num() == 0) {
        CPU_SET(sched_getcpu(), &set);
        life::check(set_mask(0, sizeof set, &set) == 0, "no mask");
      }
      compute(.002);
    }
    sched_getaffinity(0, sizeof now, &now);
    life::check(i < 3 || CPU_EQUAL(&set, &now), "region %d: the mask is gone", i);
  }
}

} // namespace

extern "C" int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *),
                              void *data) {
  using Create = int(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  static Create *const real = reinterpret_cast<Create *>(dlsym(RTLD_NEXT, "pthread_create"));
  if (left == 0)
    return EAGAIN;
  if (left > 0)
    left--;
  return real(thread, attr, fn, data);
}

int main(int argc, char **argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  whole = mask();
  if (what == "count")
    return whole;
  if (what == "is-whole")
    return whole != std::atoi(argv[2]);
  life::ours();
  if (what == "procs")
    procs();
  else if (what == "stack")
    stack();
  else if (what == "other-stack")
    other_stack();
  else if (what == "few-threads")
    few_threads(std::atoi(argv[2]));
  else if (what == "few-threads-asked")
    few_threads_asked();
  else if (what == "started")
    started();
  else if (what == "becomes")
    becomes(std::string(argv[2]) == "last");
  else
    own_mask();
  std::puts("ok");
}
