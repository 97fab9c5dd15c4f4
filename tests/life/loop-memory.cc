// SPDX-License-Identifier: GPL-3.0-or-later
// What the states of AID loops take in memory, in a region of many loops of which one thread has
// begun none: the library keeps the work shares of all. Upstream's are the measure.
#include "life.h"

#include <atomic>

namespace {

const int kLoops = 30000;

// What the region of kLoops loops of this kind has allocated when the first thread is through.
size_t allocated(omp_sched_t kind) {
  const size_t before = life::in_use();
  size_t at_end = 0;
  long sum = 0;
  std::atomic<bool> through{false};
  omp_set_schedule(kind, 1);
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
    if (omp_get_thread_num() == 0 && kind != omp_sched_dynamic)
      life::is_aid();
    while (omp_get_thread_num() == 1 && !through)
      sched_yield();
    for (int loop = 0; loop < kLoops; loop++) {
#pragma omp for schedule(nonmonotonic : runtime) nowait
      for (int i = 0; i < 4; i++)
        sum += i;
    }
    if (omp_get_thread_num() == 0) {
      at_end = life::in_use();
      through = true;
    }
  }
  life::check(sum == 6L * kLoops, "the sum is %ld", sum);
  return at_end - before;
}

} // namespace

int main() {
  life::ours();
  const size_t upstream = allocated(omp_sched_dynamic);
  life::check(upstream >= 64 * size_t(kLoops), "%zu bytes for %d work shares", upstream, kLoops);
  for (const omp_sched_t kind : life::kKinds) {
    allocated(kind);
    const size_t ours = allocated(kind);
    life::check(ours <= upstream * 22 / 10, "kind %#x takes %zu bytes, and dynamic %zu",
                unsigned(kind), ours, upstream);
    std::printf("%#x: %.2f times dynamic\n", unsigned(kind), double(ours) / double(upstream));
  }
  const size_t again = allocated(omp_sched_dynamic);
  life::check(again <= upstream * 22 / 10, "dynamic takes %zu bytes, and took %zu", again,
              upstream);
  return 0;
}
