// SPDX-License-Identifier: GPL-3.0-or-later
// Eight pthreads run the same loops at the same time, each with a team of its own.
#include <pthread.h>

#include "life.h"

constexpr int kThreads = 8, kRounds = 40;
static life::Loops<5000> loops[kThreads];
static pthread_barrier_t together;

static void *run(void *argument) {
  const int mine = int(reinterpret_cast<long>(argument));
  for (int round = 0; round < kRounds; round++) {
    pthread_barrier_wait(&together);
    loops[mine].run(life::kKinds[(mine + round) % 3], 2 + (mine + round / 3) % 3, round % 4);
  }
  return nullptr;
}

int main() {
  life::ours();
  pthread_t threads[kThreads];
  pthread_barrier_init(&together, nullptr, kThreads);
  for (long i = 0; i < kThreads; i++)
    life::check(pthread_create(&threads[i], nullptr, run, reinterpret_cast<void *>(i)) == 0,
                "pthread_create");
  for (pthread_t thread : threads)
    pthread_join(thread, nullptr);
  return 0;
}
