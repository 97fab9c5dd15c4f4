// SPDX-License-Identifier: GPL-3.0-or-later
// A thousand pthreads, each of which opens a team and ends: memory stays what it was.
#include <pthread.h>
#include <unistd.h>

#include "life.h"

static void *run(void *) {
  static life::Loops<500> loops;
  for (omp_sched_t kind : life::kKinds)
    loops.run(kind, 2);
  return nullptr;
}

static size_t after(int threads) {
  for (int i = 0; i < threads; i++) {
    pthread_t thread;
    life::check(pthread_create(&thread, nullptr, run, nullptr) == 0, "pthread_create");
    pthread_join(thread, nullptr);
    // The team's other thread ends on its own.
    while (life::status("Threads:") != 1)
      usleep(100);
  }
  return life::in_use();
}

int main() {
  life::ours();
  const size_t before = after(100), end = after(900);
  const long growth = long(end) - long(before);
  std::printf("in use after 100 pthreads: %zu bytes; after 1000: %+ld\n", before, growth);
  life::check(growth < 16384, "memory grew by %ld bytes over 900 pthreads", growth);
  return 0;
}
