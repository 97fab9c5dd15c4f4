// SPDX-License-Identifier: GPL-3.0-or-later
// The program, or who runs it, says where its threads may run: before its first region, or of
// nested teams between regions. Shows where threads then are; confined_test.py compares.
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "bind-all.h"
#include "life.h"

static cpu_set_t everything;

static cpu_set_t one_cpu(int nth) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &everything) && nth-- == 0)
      CPU_SET(cpu, &set);
  return set;
}

static bool is_in(const cpu_set_t &set) {
  cpu_set_t mask, both;
  sched_getaffinity(0, sizeof mask, &mask);
  CPU_AND(&both, &mask, &set);
  return CPU_EQUAL(&both, &mask);
}

// How many of a team's threads may run outside of SET, and in *FOLDED whether workers run them.
static int outside(const cpu_set_t &set, bool *folded = nullptr) {
  int out = 0;
#pragma omp parallel num_threads(4) reduction(+ : out)
  {
    out += !is_in(set);
#pragma omp barrier
    if (folded && omp_get_thread_num() == 0)
      *folded = !life::stock() && ompx_amp_get_worker_num() >= 0;
  }
  return out;
}

// How many threads of nested teams have another mask than SET.
static int nested_unlike(const cpu_set_t &set) {
  int unlike = 0;
#pragma omp parallel num_threads(4) reduction(+ : unlike)
#pragma omp parallel num_threads(2) reduction(+ : unlike)
  if (omp_get_thread_num() != 0) {
    cpu_set_t mask;
    sched_getaffinity(0, sizeof mask, &mask);
    unlike += !CPU_EQUAL(&mask, &set);
  }
  return unlike;
}

static void show(const char *what, int number, bool folded) {
  std::printf("%s: %d, %s\n", what, number, folded ? "folded" : "not folded");
}

int main(int, char **argv) {
  life::ours();
  sched_getaffinity(0, sizeof everything, &everything);
  if (CPU_COUNT(&everything) < 2)
    life::skip("this process may use one CPU only");
  const std::string mode = argv[1];
  bool folded = false;

  if (mode == "initial")
    for (int nth : {1, 0}) {
      const cpu_set_t set = one_cpu(nth);
      // The other one first: a child has no team yet.
      if (nth == 1 ? fork() == 0 : true) {
        sched_setaffinity(0, sizeof set, &set);
        const int out = outside(set, &folded);
        show("outside", out, folded);
        std::fflush(stdout);
        _exit(0);
      }
      wait(nullptr);
    }
  else if (mode == "thread") {
    // One that has a mask of its own does not matter to another one.
    std::thread([&folded] {
      const cpu_set_t set = one_cpu(1);
      sched_setaffinity(0, sizeof set, &set);
      for (int i = 0; i < 2; i++) {
        const int out = outside(set, &folded);
        show("outside", out, folded);
      }
    }).join();
    const int out = outside(everything, &folded);
    show("outside", out, folded);
  } else if (mode == "nested") {
    omp_set_max_active_levels(2);
    outside(everything, &folded);
    show("unlike", nested_unlike(everything), folded);
    for (int nth : {0, 1}) {
      const cpu_set_t set = one_cpu(nth);
      life::bind_all(getpid(), set);
      show("unlike", nested_unlike(set), false);
    }
  }
  return 0;
}
