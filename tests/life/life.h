// SPDX-License-Identifier: GPL-3.0-or-later
// What the programs share: checks, skips, the proof of which library serves them, and loops that
// count their iterations.
#pragma once

#include <dlfcn.h>
#include <malloc.h>
#include <omp.h>
#include <ompx_amp.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>

// Programs are linked to the system's library, which lacks these.
#pragma weak ompx_amp_get_cpu_usable
#pragma weak ompx_amp_get_num_cpus
#pragma weak ompx_amp_get_num_workers
#pragma weak ompx_amp_get_worker_num
#pragma weak ompx_amp_get_routed_schedule
#pragma weak ompx_amp_version
extern "C" void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);

namespace life {

[[noreturn]] __attribute__((format(printf, 1, 2))) inline void skip(const char *why, ...) {
  va_list list;
  va_start(list, why);
  std::printf("skipped: ");
  std::vprintf(why, list);
  std::printf("\n");
  std::exit(77);
}

__attribute__((format(printf, 2, 3))) inline void check(bool holds, const char *what, ...) {
  if (holds)
    return;
  va_list list;
  va_start(list, what);
  std::fprintf(stderr, "FAILED: ");
  std::vfprintf(stderr, what, list);
  std::fprintf(stderr, "\n");
  std::fflush(stdout);
  std::_Exit(1);
}

// The same program on the system's library, for what docs/design/reliability.md says of stock.
inline bool stock() { return std::getenv("AMP_LIFE_STOCK") != nullptr; }

// That it is our library which serves this module.
inline void ours() {
  Dl_info parallel = {}, version = {};
  check(dladdr(reinterpret_cast<void *>(&GOMP_parallel), &parallel) != 0, "no libgomp");
  if (stock())
    return;
  check(&ompx_amp_version && dladdr(reinterpret_cast<void *>(&ompx_amp_version), &version) &&
            version.dli_fbase == parallel.dli_fbase,
        "%s is not libgomp-amp; set LD_LIBRARY_PATH", parallel.dli_fname);
}

// A function of the C library that the program does not import. The ids of a module that imports
// what speaks of the kernel's threads are not carried.
template <typename Function> Function *unseen(const char *name) {
  const auto function = reinterpret_cast<Function *>(dlsym(RTLD_DEFAULT, name));
  check(function != nullptr, "no %s", name);
  return function;
}

// Sets the CPUs of the calling thread without an import that says so.
inline int set_mask(const cpu_set_t &mask) {
  return int(syscall(SYS_sched_setaffinity, 0, sizeof mask, &mask));
}

// Whether the calling thread is one of a folded team.
inline bool folded() { return ompx_amp_get_worker_num() >= 0; }

// That one kernel thread runs several ids, where teams are folded.
inline void carried() {
  const char *const fold = std::getenv("GOMP_AMP_FOLD");
  const int ids = omp_get_max_threads();
  if (stock() || !fold || std::strcmp(fold, "0") == 0 || std::strcmp(fold, "1") == 0)
    return;
  for (int time = 0; time < 1000; time++) {
    std::set<long> threads;
#pragma omp parallel
    {
#pragma omp barrier
#pragma omp critical
      threads.insert(syscall(SYS_gettid));
    }
    if (int(threads.size()) < ids)
      return;
  }
  check(false, "no id is carried by another one's thread");
}

inline const omp_sched_t kKinds[] = {omp_sched_t(ompx_amp_sched_aid_static),
                                     omp_sched_t(ompx_amp_sched_aid_hybrid),
                                     omp_sched_t(ompx_amp_sched_aid_dynamic)};

// Call in a team of two or more: that its loops will be of the kind that was set, which they are
// not where all cores are alike. AMP_LIFE_ANY_KIND: the driver expects them not to be known.
inline void is_aid() {
  omp_sched_t asked;
  int chunk, kind = 0;
  if (stock() || std::getenv("AMP_LIFE_ANY_KIND"))
    return;
  omp_get_schedule(&asked, &chunk);
  ompx_amp_get_routed_schedule(&kind, nullptr, nullptr);
  check(kind == int(asked), "kind %#x is run as %#x: no core classes?", unsigned(asked),
        unsigned(kind));
}

// A loop of TRIPS that calls BODY, under KIND, in a team of THREADS of which every one finishes its
// sample. A sample never spans more than an eighth of a thread's share, and is taken twice at most:
// past that the threads wait for each other, at last for the one that publishes the factors. The
// chunk is one: a chunk that the library chooses may be all that is left of the loop, so that a
// thread that comes late finds nothing to sample.
template <typename Body> void sampled_loop(omp_sched_t kind, int threads, int trips, Body body) {
  const int most = trips / (4 * threads);
  int arrived = 0;
  long sum = 0;
  omp_set_schedule(kind, 1);
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  {
    int mine = 0;
    if (omp_get_thread_num() == 0 && threads > 1)
      is_aid();
#pragma omp for schedule(nonmonotonic : runtime) nowait
    for (int i = 0; i < trips; i++) {
      body();
      sum += i;
      if (++mine == most + 1) {
        __atomic_add_fetch(&arrived, 1, __ATOMIC_ACQ_REL);
        while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < threads)
          sched_yield();
      }
    }
    // A thread of a slow class may get less than that: nobody waits for it any more.
    if (mine <= most)
      __atomic_add_fetch(&arrived, 1, __ATOMIC_ACQ_REL);
  }
  check(sum == long(trips) * (trips - 1) / 2, "the sum is %ld", sum);
}

// Loops of N iterations: each has to run once, and the sum of their values is known.
template <int N> class Loops {
public:
  // A loop with a barrier, one without, and one in between of another kind of call.
  void run(omp_sched_t kind, int threads, int chunk = 0) {
    std::memset(marks_, 0, sizeof marks_);
    long sum = 0;
    omp_set_schedule(kind, chunk);
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
      if (omp_get_thread_num() == 0 && omp_get_num_threads() > 1)
        is_aid();
#pragma omp for schedule(nonmonotonic : runtime) nowait
      for (int i = 0; i < N; i++)
        sum += visit(0, i);
#pragma omp for schedule(runtime)
      for (int i = 0; i < N; i++)
        sum += visit(1, i);
#pragma omp for schedule(nonmonotonic : runtime)
      for (unsigned long long i = 0; i < N; i++)
        sum += visit(2, int(i));
    }
    verify(sum, 3);
  }

  long visit(int loop, int i) {
    __atomic_fetch_add(&marks_[loop][i], 1, __ATOMIC_RELAXED);
    return value(i);
  }

  void verify(long sum, int loops) const {
    long expected = 0;
    for (int loop = 0; loop < loops; loop++)
      for (int i = 0; i < N; i++) {
        check(marks_[loop][i] == 1, "iteration %d of loop %d ran %d times", i, loop,
              int(marks_[loop][i]));
        expected += value(i);
      }
    check(sum == expected, "the sum is %ld and should be %ld", sum, expected);
  }

private:
  static long value(int i) { return long(i) * 2654435761L % 1009; }

  unsigned char marks_[3][N];
};

// Bytes in use that malloc gave out.
inline size_t in_use() {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// The number after KEY in a file of /proc/self; negative if there is none.
inline long number_in(const char *path, const char *key) {
  char line[256];
  long number = -1;
  FILE *file = std::fopen(path, "re");
  while (file && std::fgets(line, sizeof line, file))
    if (std::strncmp(line, key, std::strlen(key)) == 0)
      number = std::atol(line + std::strlen(key) + 1);
  if (file)
    std::fclose(file);
  return number;
}

inline long status(const char *key) {
  const long number = number_in("/proc/self/status", key);
  check(number >= 0, "no %s in /proc/self/status", key);
  return number;
}

// Resident memory in kB. VmRSS is short of what each CPU, or thread, has not yet added to it.
inline long resident() {
  const long exact = number_in("/proc/self/smaps_rollup", "Rss:");
  return exact >= 0 ? exact : status("VmRSS:");
}

} // namespace life
