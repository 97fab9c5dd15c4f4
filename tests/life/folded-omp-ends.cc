// SPDX-License-Identifier: GPL-3.0-or-later
// Folded teams: pools, sizes and kinds of regions in turn, and how processes end.
#include "folded-omp.h"
#include "life.h"

#include <omp.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <future>

namespace folded {

namespace {

// A process that ends in a region.
void ends() {
  for (int way = 0; way < 3; way++) {
    const pid_t pid = fork();
    if (pid == 0) {
      // A process with a pool of its own.
      execl("/proc/self/exe", "life-folded-omp",
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

// Pools that end, and of several threads.
void pools() {
  for (int round = 0; round < 3; round++) {
    static_loop();
    omp_pause_resource_all(omp_pause_hard);
    std::async(std::launch::async, static_loop).get();
    make_threads();
  }
}

// In a long region the initial thread stays on its worker's core, wherever it was before. After it
// the thread is free.
void long_regions() {
  cpu_set_t whole, mask, away[2];
  life::check(sched_getaffinity(0, sizeof whole, &whole) == 0, "no mask");
  // The first CPU and the last one: its worker's is one of them, or neither.
  CPU_ZERO(&away[0]);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &whole)) {
      if (CPU_COUNT(&away[0]) == 0)
        CPU_SET(cpu, &away[0]);
      CPU_ZERO(&away[1]);
      CPU_SET(cpu, &away[1]);
    }
  bool bound = false;
  for (int round = 0; round < 10; round++) {
    int cpus = 0;
    life::check(life::set_mask(away[round % 2]) == 0 && life::set_mask(whole) == 0,
                "no mask can be set");
#pragma omp parallel
    if (omp_get_thread_num() == 0) {
      const double end = omp_get_wtime() + .003;
      while (omp_get_wtime() < end) {
      }
      if (sched_getaffinity(0, sizeof mask, &mask) == 0)
        cpus = CPU_COUNT(&mask);
    }
    bound |= cpus == 1;
    life::check(sched_getaffinity(0, sizeof mask, &mask) == 0 && CPU_EQUAL(&mask, &whole),
                "round %d: the initial thread is still bound", round);
  }
  life::check(bound, "the initial thread was never bound");
}

// Regions of both kinds and of all sizes in turn, and no more threads than before.
void alternation() {
  for (int round = 0; round < kRounds; round++) {
    const int size = 2 + round * 7 % (2 * omp_get_max_threads());
    std::atomic<int> met{0};
#pragma omp parallel num_threads(size)
    mark();
    check_once(size, "several sizes");
#pragma omp parallel num_threads(size)
    {
      mark();
      met++;
#pragma omp barrier
      life::check(met == size, "%d of %d", +met, size);
    }
    check_once(size, "barriers of several sizes");
  }
}

} // namespace

void end_by(const std::string &way) {
  make_threads();
  for (int run = 0; run < 10; run++) {
#pragma omp parallel
    {
      work(1000);
#pragma omp barrier
      if (run == 9 && omp_get_thread_num() == omp_get_num_threads() - 1) {
        if (way == "-exec")
          execl("/bin/sh", "sh", "-c", "exit 4", nullptr);
        if (way == "-exit")
          std::exit(4);
      }
    }
  }
  std::_Exit(way == "-thread" ? 4 : 8);
}

const std::vector<Case> kEnds = {
    {"ends", ends},
    {"pools", pools},
    {"alternation", alternation},
    {"long-regions", long_regions},
};

} // namespace folded
