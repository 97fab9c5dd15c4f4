// SPDX-License-Identifier: GPL-3.0-or-later
// Turns between real threads, and how they sleep; tests/model has all interleavings.
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <thread>
#include <vector>

extern "C" {
#include "fold/fold-kernel.h"
#include "fold/fold-turn.h"
}

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

namespace {

// A worker with some ids, of which none has joined.
template <unsigned N> struct Team {
  gomp_fold_worker worker = {};
  gomp_fold_id *slots[N] = {};
  gomp_fold_id id[N] = {};
  Team() {
    worker.slots = N;
    worker.id = slots;
  }
};

int state_of(const gomp_fold_id &id) { return __atomic_load_n(&id.state, __ATOMIC_ACQUIRE); }

TEST(FoldTurn, WhoYieldsBesideTheTurnWaitsForIt) {
  Team<2> team;
  std::atomic<int> begin{0}, returned{0};
  gomp_fold_join(&team.id[0], &team.worker, 0);
  // It takes the turn, which nobody has.
  EXPECT_FALSE(gomp_fold_yield(&team.id[0]));
  std::thread other([&] {
    gomp_fold_join(&team.id[1], &team.worker, 1);
    begin = 1;
    EXPECT_TRUE(gomp_fold_yield(&team.id[1]));
    returned = 1;
    gomp_fold_leave(&team.id[1]);
  });
  while (!begin || (state_of(team.id[1]) == GOMP_FOLD_RUNS && !returned))
    sched_yield();
  EXPECT_EQ(returned, 0);
  EXPECT_TRUE(gomp_fold_yield(&team.id[0]));
  EXPECT_EQ(returned, 1);
  gomp_fold_leave(&team.id[0]);
  other.join();
}

// From here on, for this process, SYS_futex_waitv fails with ERROR. Returns whether it does: an
// emulator may know of no filters.
bool forbid_waitv(int error) {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex_waitv, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | unsigned(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter = {sizeof code / sizeof *code, code};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0);
  return syscall(SYS_futex_waitv, nullptr, 0, 0, nullptr, 0) < 0 && errno == error;
}

// Two threads of which each waits for two words; the other one changes the second of them.
void wait_for_the_second_word() {
  constexpr int kRounds = 200;
  int first = 0, word[2] = {};
  const auto wait_until = [&](int *second, int value) {
    for (int now; (now = __atomic_load_n(second, __ATOMIC_ACQUIRE)) < value;) {
      const gomp_fold_word list[] = {{&first, 0}, {second, now}};
      gomp_fold_sleep_any(list, 2, false);
    }
  };
  const auto change = [](int *word, int value) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
    gomp_fold_wake(word);
  };
  std::thread other([&] {
    for (int round = 1; round <= kRounds; round++) {
      wait_until(&word[0], round);
      change(&word[1], round);
    }
  });
  for (int round = 1; round <= kRounds; round++) {
    change(&word[0], round);
    wait_until(&word[1], round);
  }
  other.join();
}

TEST(FoldSleep, AnyOfSeveralWords) { wait_for_the_second_word(); }

// Ids of two workers that meet, as at barriers, at words that one after the other changes.
void meet() {
  constexpr int kIds = 6, kRounds = 100;
  Team<kIds / 2> team[2];
  int arrived = 0, generation = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kIds; i++)
    threads.emplace_back([&, i] {
      gomp_fold_id &id = team[i % 2].id[i / 2];
      gomp_fold_join(&id, &team[i % 2].worker, i / 2);
      for (int round = 0; round < kRounds; round++) {
        if (__atomic_add_fetch(&arrived, 1, __ATOMIC_ACQ_REL) == kIds * (round + 1)) {
          __atomic_store_n(&generation, round + 1, __ATOMIC_RELEASE);
          syscall(SYS_futex, &generation, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT_MAX);
        } else
          while (__atomic_load_n(&generation, __ATOMIC_ACQUIRE) == round)
            gomp_fold_wait(&id, &generation, round, GOMP_FOLD_SLEEP, 0);
      }
      gomp_fold_leave(&id);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(generation, kRounds);
}

TEST(FoldSleep, WorkersThatMeet) { meet(); }

// An older kernel, and a container whose filter of system calls is older than the kernel. A thread
// then sleeps on one word at a time, and not for long.
class FoldSleepWithout : public testing::TestWithParam<int> {};

TEST_P(FoldSleepWithout, FutexWaitv) {
  if (!forbid_waitv(GetParam()))
    GTEST_SKIP() << "the system call cannot be made to fail so here";
  wait_for_the_second_word();
  meet();
  // It does sleep.
  const auto sleeps = [] {
    rusage usage = {};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
  };
  int word = 0;
  const gomp_fold_word list[] = {{&word, 0}};
  const long before = sleeps();
  gomp_fold_sleep_any(list, 1, false);
  EXPECT_GT(sleeps(), before);
}

INSTANTIATE_TEST_SUITE_P(Errors, FoldSleepWithout, testing::Values(ENOSYS, EPERM),
                         [](const auto &error) {
                           return error.param == EPERM ? "EPERM" : "ENOSYS";
                         });

} // namespace
