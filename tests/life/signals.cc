// SPDX-License-Identifier: GPL-3.0-or-later
// Signals at 1 kHz, with and without SA_RESTART, while loops run and threads wait.
#include <csignal>
#include <ctime>
#include <sys/time.h>

#include "life.h"

static int alarms, profiles;

static void on_alarm(int) { __atomic_fetch_add(&alarms, 1, __ATOMIC_RELAXED); }
static void on_profile(int) { __atomic_fetch_add(&profiles, 1, __ATOMIC_RELAXED); }

int main() {
  life::ours();
  static life::Loops<50000> loops;
  const itimerval kilohertz = {{0, 1000}, {0, 1000}};
  struct sigaction action = {};
  action.sa_handler = on_alarm;
  sigaction(SIGALRM, &action, nullptr);
  action.sa_handler = on_profile;
  action.sa_flags = SA_RESTART;
  sigaction(SIGPROF, &action, nullptr);
  setitimer(ITIMER_REAL, &kilohertz, nullptr);
  setitimer(ITIMER_PROF, &kilohertz, nullptr);

  for (int round = 0; round < 20 || __atomic_load_n(&alarms, __ATOMIC_RELAXED) < 300 ||
                      __atomic_load_n(&profiles, __ATOMIC_RELAXED) < 100;
       round++)
    for (omp_sched_t kind : life::kKinds) {
      loops.run(kind, 2 + round % 3);
      // One thread is late, so that the signals find the others asleep in the barrier.
      long sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
#pragma omp for schedule(runtime)
      for (int i = 0; i < 30; i++) {
        if (i == 7) {
          const timespec most = {0, 3000000};
          nanosleep(&most, nullptr);
        }
        sum += i;
      }
      life::check(sum == 435, "the sum is %ld and should be 435", sum);
    }
  std::printf("%d SIGALRM, %d SIGPROF\n", alarms, profiles);
  return 0;
}
