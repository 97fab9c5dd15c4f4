// SPDX-License-Identifier: GPL-3.0-or-later
// The process is stopped and continued from outside, in the middle of samples and of loops.
#include "tormentor.h"

int main() {
  life::ours();
  static life::Loops<100000> loops;
  int done = 0;
  life::torment(
      60,
      [](pid_t victim, int) {
        if (kill(victim, SIGSTOP) != 0)
          _exit(1);
        usleep(3000);
        if (kill(victim, SIGCONT) != 0)
          _exit(1);
      },
      [&] {
        for (omp_sched_t kind : life::kKinds)
          loops.run(kind, 2 + done % 3);
        done++;
      });
  std::printf("%d rounds of loops\n", done);
  return 0;
}
