// SPDX-License-Identifier: GPL-3.0-or-later
// A thread that is to be cancelled at its next cancellation point runs regions, the first ones of
// the process: none of them has such a point, whatever files the library opens.
#include <pthread.h>

#include "life.h"

namespace {

constexpr int kRegions = 20, kTrips = 300;
int ran;

void region() {
  int trips = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : trips)
  for (int i = 0; i < kTrips; i++)
    trips++;
  life::check(trips == kTrips, "%d iterations ran", trips);
  ran++;
}

void *run(void *) {
  pthread_cancel(pthread_self());
  while (ran < kRegions)
    region();
  pthread_testcancel();
  return nullptr;
}

} // namespace

int main() {
  life::ours();
  pthread_t thread;
  void *result;
  life::check(pthread_create(&thread, nullptr, run, nullptr) == 0, "pthread_create");
  pthread_join(thread, &result);
  life::check(ran == kRegions, "the thread ended after %d regions", ran);
  life::check(result == PTHREAD_CANCELED, "the thread was not cancelled");
  region();
  return 0;
}
