// SPDX-License-Identifier: GPL-3.0-or-later
// Locks that signal handlers and forked children find usable.

#include <csignal>
#include <ctime>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern "C" {
#include "base/fork-lock.h"
}

namespace {

int handled, count;

// A handler takes the lock at any instruction of the thread that takes and releases it: as a fork
// in it would, which takes them all.
void take(int) {
  gomp_amp_acquire(GOMP_AMP_LOCK_SITES);
  gomp_amp_acquire(GOMP_AMP_LOCK_SITES);
  gomp_amp_release(GOMP_AMP_LOCK_SITES);
  gomp_amp_release(GOMP_AMP_LOCK_SITES);
  handled++;
}

void take_often(int times) {
  for (int i = 0; i < times; i++) {
    gomp_amp_acquire(GOMP_AMP_LOCK_SITES);
    count++;
    gomp_amp_release(GOMP_AMP_LOCK_SITES);
  }
}

TEST(ForkLock, AHandlerMayTakeIt) {
  struct sigaction action = {}, before;
  action.sa_handler = take;
  ASSERT_EQ(sigaction(SIGUSR2, &action, &before), 0);
  struct sigevent event = {};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGUSR2;
  event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
  timer_t timer;
  struct itimerspec period = {{0, 20000}, {0, 20000}};
  count = 0;
  handled = 0;
  ASSERT_EQ(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
  ASSERT_EQ(timer_settime(timer, 0, &period, nullptr), 0);
  // A deadlock ends the test.
  alarm(900);
  std::thread other(take_often, 300000);
  int times = 0;
  while (handled < 10000) {
    take_often(100);
    times += 100;
  }
  other.join();
  alarm(0);
  timer_delete(timer);
  sigaction(SIGUSR2, &before, nullptr);
  EXPECT_EQ(count, times + 300000);
}

TEST(ForkLock, ThreadsThatWaitAreWoken) {
  constexpr int kThreads = 8, kTimes = 5000;
  std::thread threads[kThreads];
  count = 0;
  alarm(900);
  for (auto &thread : threads)
    thread = std::thread([] {
      for (int i = 0; i < kTimes; i++) {
        gomp_amp_acquire(GOMP_AMP_LOCK_SITES);
        // Others come while the lock is held.
        if (i % 100 == 0)
          sched_yield();
        count++;
        gomp_amp_release(GOMP_AMP_LOCK_SITES);
      }
    });
  for (auto &thread : threads)
    thread.join();
  alarm(0);
  EXPECT_EQ(count, kThreads * kTimes);
}

// The assertions of builds for tests do end a program.
TEST(ForkLockDeathTest, LocksAreTakenInOrder) {
  gomp_amp_acquire(GOMP_AMP_LOCK_SITES);
  gomp_amp_acquire(GOMP_AMP_LOCK_SITES);
  gomp_amp_release(GOMP_AMP_LOCK_SITES);
  EXPECT_DEATH(gomp_amp_acquire(GOMP_AMP_LOCK_FACTORS), "assertion failed: in_order_p");
  EXPECT_DEATH(gomp_amp_acquire(GOMP_AMP_LOCK_TABLE), "assertion failed: in_order_p");
  gomp_amp_release(GOMP_AMP_LOCK_SITES);
  gomp_amp_acquire(GOMP_AMP_LOCK_TABLE);
  gomp_amp_release(GOMP_AMP_LOCK_TABLE);
}

TEST(ForkLock, AChildFindsItFree) {
  gomp_amp_watch_forks();
  gomp_amp_acquire(GOMP_AMP_LOCK_PLACES);
  gomp_amp_acquire(GOMP_AMP_LOCK_PLACES);
  pid_t child = fork();
  if (child == 0) {
    alarm(900);
    gomp_amp_release(GOMP_AMP_LOCK_PLACES);
    std::thread([] {
      gomp_amp_acquire(GOMP_AMP_LOCK_PLACES);
      gomp_amp_release(GOMP_AMP_LOCK_PLACES);
    }).join();
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  gomp_amp_release(GOMP_AMP_LOCK_PLACES);
  gomp_amp_release(GOMP_AMP_LOCK_PLACES);
}

} // namespace
