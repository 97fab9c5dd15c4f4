// SPDX-License-Identifier: GPL-3.0-or-later
// What MPI asks of threads, without MPI: in master and masked constructs runs the initial thread,
// which MPI_THREAD_FUNNELED permits to call it; and in single and critical constructs one thread at
// a time, as MPI_THREAD_SERIALIZED does.
#include "life.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>

namespace {

const int kRounds = 200;

std::atomic<int> inside{0};
const pthread_t initial_thread = pthread_self();

// As long as a short message, so that others could come in between.
void call(bool initial) {
  life::check(inside++ == 0, "two threads call at a time");
  if (initial)
    life::check(pthread_equal(pthread_self(), initial_thread) && omp_get_thread_num() == 0,
                "id %d is not the initial thread", omp_get_thread_num());
  usleep(20);
  inside--;
}

void work() {
  volatile double x = 1;
  for (int i = 0; i < 2000; i++)
    x = x * 1.000001;
}

// No thread waits for another one. Other cores are done with their ids before id 0 is with its
// call.
void alone(int threads) {
  int ran = 0;
#pragma omp parallel num_threads(threads) reduction(+ : ran)
  {
    ran++;
#pragma omp master
    call(true);
    work();
  }
  life::check(ran == threads, "%d of %d threads", ran, threads);
}

void together(int threads) {
#pragma omp parallel num_threads(threads)
  {
    work();
#pragma omp barrier
#pragma omp master
    call(true);
#pragma omp barrier
    work();
#pragma omp single
    call(false);
#pragma omp critical
    call(false);
#pragma omp barrier
#pragma omp masked
    call(true);
  }
}

} // namespace

int main() {
  life::ours();
  const int most = omp_get_max_threads();
  life::check(most > 1, "%d thread", most);
  for (int round = 0; round < kRounds; round++) {
    alone(most - round % 2 * (most > 2));
    call(true);
    if (round % 4 == 0)
      together(most);
  }
}
