// SPDX-License-Identifier: GPL-3.0-or-later
// The watching thread looks at a thread, or unbinds it, while that thread ends or is bound again.
// It must not take the thread for one that the program has bound.
//
//   ends     The thread ends while its mask is asked for, and another process gets its number.
//   unfolds  The thread's region is unfolded, and it is bound again in the next one.
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "life.h"

static constexpr int kIds = 6, kKept = 2;

// Of the last id's thread.
static std::atomic<pid_t> number;

// What becomes of the thread that is asked for: it is to end; has ended; and its successor is
// bound.
static std::atomic<int> stage{0};
enum { kNone, kEnd, kEnded, kBound };

// How many questions are answered late, and how many threads are unbound late.
static std::atomic<int> questions{0}, unbinds{0};

// How many were, with another thread, or binding, there by then.
static std::atomic<int> stale{0};

static int real(pid_t tid, size_t size, cpu_set_t *set) {
  std::memset(set, 0, size);
  return syscall(SYS_sched_getaffinity, tid, size, set) < 0 ? -1 : 0;
}

// Stands in for the C library's. When the watching thread asks for the last id's thread it is
// answered after that has ended and the next one with this id is bound: as for a thread of another
// process, which may run everywhere. If the thread cannot end while it is looked at, the answer is
// its mask.
extern "C" int sched_getaffinity(pid_t tid, size_t size, cpu_set_t *set) noexcept {
  if (tid == 0 || tid != number || questions-- <= 0)
    return real(tid, size, set);
  stage = kEnd;
  for (int ms = 0; ms < 500 && stage != kBound; ms++)
    usleep(1000);
  const bool gone = stage == kBound;
  stage = kNone;
  if (!gone)
    return real(tid, size, set);
  stale++;
  return real(getpid(), size, set);
}

// The last id's thread is unbound, once, after it was bound again; or before, if it cannot be bound
// while the watching thread is here.
extern "C" int sched_setaffinity(pid_t tid, size_t size, const cpu_set_t *set) noexcept {
  if (tid != 0 && tid == number && CPU_COUNT_S(size, set) > 1 && unbinds-- > 0) {
    stage = kEnded;
    for (int ms = 0; ms < 500 && stage != kBound; ms++)
      usleep(1000);
    stale += stage == kBound;
    stage = kNone;
  }
  return syscall(SYS_sched_setaffinity, tid, size, set) < 0 ? -1 : 0;
}

// A region of all ids. If SUCCEEDS, its last thread is the successor that is waited for.
static void all_ids(bool succeeds) {
#pragma omp parallel num_threads(kIds)
  {
    if (omp_get_thread_num() == kIds - 1)
      number = pid_t(syscall(SYS_gettid));
#pragma omp barrier
#pragma omp master
    {
      int ended = kEnded;
      if (succeeds && stage.compare_exchange_strong(ended, kBound))
        while (stage == kBound)
          usleep(1000);
    }
  }
}

static void end_while_looked_at() {
  questions = 4;
  for (int i = 0; i < 400 && questions > 0; i++) {
    all_ids(false);
    int end = kEnd;
    if (stage == kEnd) {
#pragma omp parallel num_threads(kKept)
      usleep(1000);
      stage.compare_exchange_strong(end, kEnded);
      all_ids(true);
    } else
      usleep(5000);
  }
}

static void unfold_while_bound() {
  unbinds = 1;
  // All ids wait for each other in memory, so often that the region is unfolded while it runs.
  for (int i = 0; i < 40 && unbinds > 0; i++) {
    std::atomic<int> arrived{0};
#pragma omp parallel num_threads(kIds)
    {
      for (arrived++; arrived < kIds;)
        usleep(1000);
#pragma omp barrier
      usleep(60000);
    }
  }
  all_ids(true);
}

int main(int, char **argv) {
  life::ours();
  cpu_set_t mask;
  real(0, sizeof mask, &mask);
  if (CPU_COUNT(&mask) < 2)
    life::skip("this process may use one CPU only");
  all_ids(false);
  if (std::strcmp(argv[1], "ends") == 0)
    end_while_looked_at();
  else
    unfold_while_bound();
  // It takes two looks to leave all as it is.
  for (int i = 0; i < 20; i++) {
    all_ids(false);
    usleep(5000);
  }
  bool folded = false;
#pragma omp parallel num_threads(kIds)
  if (omp_get_thread_num() == 0)
    folded = ompx_amp_get_worker_num() >= 0;
  life::check(folded, "nothing is folded any more: %d threads had ended or were bound again",
              int(stale));
  life::check(questions <= 0 && unbinds <= 0, "no thread was looked at");
  std::printf("%d threads had ended or were bound again\n", int(stale));
  return 0;
}
