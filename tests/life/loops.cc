// SPDX-License-Identifier: GPL-3.0-or-later
// Runs loops in teams of a given size (default 3) until standard input ends, for drivers.
#include <poll.h>
#include <unistd.h>

#include "life.h"

// Whether somebody will yet end our input, and has not.
static bool goes_on() {
  pollfd input = {0, POLLIN, 0};
  char text[64];
  return poll(&input, 1, 0) == 0 || read(0, text, sizeof text) > 0;
}

int main(int argc, char **argv) {
  life::ours();
  static life::Loops<20000> loops;
  const int threads = argc > 1 ? std::atoi(argv[1]) : 3;
  int done = 0;
  do {
    for (omp_sched_t kind : life::kKinds) {
      loops.run(kind, threads);
      life::sampled_loop(kind, threads, 1000, [] {});
    }
    if (++done == 1) {
      std::printf("running\n");
      std::fflush(stdout);
    }
  } while (goes_on());
  std::printf("%d rounds of loops\n", done);
  return 0;
}
