// SPDX-License-Identifier: GPL-3.0-or-later
// Loops as the compiler routes them, of many lengths and kinds, each run a few hundred times.
// Prints of each kind how long its first runs took and how long the others, in virtual nanoseconds.
#include "work.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <omp.h>
#include <random>

namespace {

constexpr int kFirst = 100, kOthers = 200;

// So many units of work, as quickly as that can be said.
inline void spend(unsigned long units) { amp_work = amp_work + units; }

double now() { return 1e9 * omp_get_wtime(); }

template <typename Run> void measure(const char *name, Run run) {
  const double begin = now();
  for (int i = 0; i < kFirst; ++i)
    run(i);
  const double middle = now();
  for (int i = kFirst; i < kFirst + kOthers; ++i)
    run(i);
  std::printf("%s %.1f %.1f\n", name, (middle - begin) / kFirst, (now() - middle) / kOthers);
}

void uneven(long count, const unsigned long *units) {
#pragma omp parallel for schedule(nonmonotonic : runtime)
  for (long i = 0; i < count; ++i)
    spend(units[i]);
}

// Loops of one region, each with a barrier.
void several(long count, unsigned long units) {
#pragma omp parallel
  for (int loop = 0; loop < 4; ++loop) {
#pragma omp for schedule(nonmonotonic : runtime)
    for (long i = 0; i < count; ++i)
      spend(units);
  }
}

// Loops without a barrier between them.
void nowait(long count, unsigned long units) {
#pragma omp parallel
  for (int loop = 0; loop < 4; ++loop) {
#pragma omp for schedule(nonmonotonic : runtime) nowait
    for (long i = 0; i < count; ++i)
      spend(units);
  }
}

void sum(long count, unsigned long units) {
  double total = 0;
#pragma omp parallel for schedule(nonmonotonic : runtime) reduction(+ : total)
  for (long i = 0; i < count; ++i) {
    spend(units);
    total += 1;
  }
  if (total != double(count))
    std::printf("%g iterations instead of %ld\n", total, count);
}

// Each kind from a place in the code of its own, since that is how loops are known.
template <int Kind> void each(long count, unsigned long units) {
#pragma omp parallel for schedule(nonmonotonic : runtime)
  for (long i = 0; i < count; ++i)
    spend(units);
}

// Runs loops of many trip counts, and says whether each iteration ran once.
bool exact() {
  constexpr int kMost = 403;
  static int up[kMost], down[kMost];
  for (int run = 0; run < kFirst; ++run) {
    const int count = run % 4 != 0 ? kMost : run * 3 + run / 4 % 4;
#pragma omp parallel for schedule(nonmonotonic : runtime)
    for (long i = 0; i < count; ++i)
      ++up[i];
#pragma omp parallel for schedule(nonmonotonic : runtime)
    for (unsigned long long i = count; i > 0; --i)
      ++down[i - 1];
    for (int i = 0; i < count; ++i) {
      if (up[i] != 1 || down[i] != 1)
        return false;
      up[i] = down[i] = 0;
    }
  }
  return true;
}

// Says whether two short loops of one trip count, of which one is much longer, have one mapping:
// what the first one leaves in a core's caches, the second finds there.
bool alike() {
  constexpr int kCount = 2000;
  static int one[kCount], two[kCount];
  for (int run = 0; run < kFirst; ++run) {
#pragma omp parallel for schedule(nonmonotonic : runtime)
    for (long i = 0; i < kCount; ++i) {
      spend(20);
      one[i] = omp_get_thread_num();
    }
#pragma omp parallel for schedule(nonmonotonic : runtime)
    for (long i = 0; i < kCount; ++i) {
      spend(600);
      two[i] = omp_get_thread_num();
    }
  }
  return std::equal(one, one + kCount, two);
}

} // namespace

int main() {
  if (!exact()) {
    std::printf("an iteration did not run once\n");
    return 1;
  }
  if (!alike()) {
    std::printf("two loops have two mappings\n");
    return 1;
  }
  constexpr long kMany = 4000;
  static unsigned long rising[kMany], random[kMany];
  std::mt19937 numbers{1};
  for (long i = 0; i < kMany; ++i) {
    rising[i] = 20 + static_cast<unsigned long>(i) / 10;
    random[i] = numbers() % 16 == 0 ? 2000 : 100;
  }
  measure("1us", [](int) { each<0>(1000, 20); });
  measure("4us", [](int) { each<1>(4000, 20); });
  measure("15us", [](int) { each<2>(4000, 80); });
  measure("100us", [](int) { each<3>(4000, 600); });
  measure("500us", [](int) { each<4>(1000, 12000); });
  measure("five", [](int) { each<5>(5, 8000); });
  measure("twelve", [](int) { each<6>(12, 20000); });
  measure("22", [](int) { each<7>(22, 40000); });
  measure("100-long", [](int) { each<8>(100, 40000); });
  measure("rising", [](int) { uneven(kMany, rising); });
  measure("random", [](int) { uneven(kMany, random); });
  measure("frontier",
          [](int i) { each<9>(i % 20 < 10 ? 20 << (i % 10) : 20 << (9 - i % 10), 60); });
  // A wave front, as in LU, and the levels of a multigrid: each grid has a quarter of the
  // iterations' work.
  measure("wave", [](int i) { each<12>(1 + std::abs(50 - i % 100) * 2, 17000); });
  measure("levels", [](int i) {
    for (int level = 1; level <= 6; ++level)
      each<13>(1L << level, i % 2 != 0 ? 400UL << level : 40UL << 2 * level);
  });
  measure("dearer", [](int i) { each<10>(2000, i < 150 ? 40 : 400); });
  measure("longer", [](int i) { each<11>(i < 150 ? 1000 : 20000, 100); });
  measure("several", [](int) { several(2000, 40); });
  measure("nowait", [](int) { nowait(2000, 40); });
  measure("sum", [](int) { sum(2000, 40); });
}
