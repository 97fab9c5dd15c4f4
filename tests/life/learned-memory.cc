// SPDX-License-Identifier: GPL-3.0-or-later
// Very many loops in teams of many sizes, all of which aid_auto would learn: what the process keeps
// of them is bounded, and a pool that ends gives back its share.
#include <algorithm>
#include <thread>

#include "many-loops.h"

#ifndef __x86_64__
int main() { life::skip("the loops of this test are x86-64 code"); }
#else

// GOMP_LEARN_MOST_BYTES, and what else a pool of 12 threads keeps.
constexpr size_t kMost = 8 << 20, kOther = 512 << 10;
constexpr int kLoops = 3000, kThreads = 12;

// Runs each loop twice in teams of each size.
static void run() {
  constexpr long kTrips = 50;
  omp_set_schedule(omp_sched_t(ompx_amp_sched_aid_auto), 0);
  for (int threads = 1; threads <= kThreads; threads++)
    for (int time = 0; time < 2; time++) {
      long sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
      for (int loop = 0; loop < kLoops; loop++) {
        auto *start = reinterpret_cast<Start *>(life_sites + size_t(loop) * kSize);
        long at, before;
        for (bool more = start(0, kTrips, 1, &at, &before); more;
             more = GOMP_loop_nonmonotonic_runtime_next(&at, &before))
          for (; at < before; at++)
            sum += at;
        GOMP_loop_end_nowait();
        if (loop % 10 == 9) {
#pragma omp barrier
        }
      }
      life::check(sum == kLoops * kTrips * (kTrips - 1) / 2, "the sum is %ld", sum);
    }
}

// What a thread with a pool of its own adds to the memory in use, before its pool ends.
static size_t grown(size_t before) {
  size_t most = 0;
  std::thread([&] {
    run();
    most = life::in_use();
  }).join();
  return most - std::min(most, before);
}

int main() {
  life::ours();
  std::thread([] {
#pragma omp parallel num_threads(kThreads)
    {}
  }).join();
  const size_t before = life::in_use(), one = grown(before), after = life::in_use(),
               next = grown(after), end = life::in_use();
  run();
  const size_t own = life::in_use(), two = grown(own);
  std::printf("in use: %zu bytes; a pool adds %zu, of which %zu stay, the next one %zu, of which "
              "%zu stay, the program's own %zu, and one beside it %zu\n",
              before, one, after - before, next, end - after, own - end, two);
  life::check(one <= kMost + kOther, "a pool may have as much as it likes");
  life::check(two + own - end <= kMost + 2 * kOther, "two pools may have more than one");
  life::check(after < before + kOther, "a pool that ended keeps memory");
  // Folded teams do not learn.
  if (std::getenv("GOMP_AMP_FOLD") != nullptr)
    return 0;
  for (const size_t learned : {one, next})
    life::check(learned > kMost / 2, "loops are not learned");
  return 0;
}
#endif
