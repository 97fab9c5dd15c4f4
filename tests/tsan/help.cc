// SPDX-License-Identifier: GPL-3.0-or-later
// Folded teams whose workers take ids from others: one id has ten times as much to do as another,
// and not always the same one.
#include <gtest/gtest.h>
#include <omp.h>

#include "../virtual/cpu-clock.h"

namespace {

TEST(Help, OneHeavyId) {
  const int ids = omp_get_max_threads();
  long sum = 0;
  for (int region = 0; region < 100; region++) {
    const int heavy = region / 20 % ids;
#pragma omp parallel reduction(+ : sum)
    for (int phase = 0; phase < 3; phase++) {
      work(omp_get_thread_num() == heavy ? .002 : .0002);
#pragma omp critical
      sum++;
#pragma omp barrier
    }
  }
  EXPECT_EQ(sum, 300L * ids);
}

} // namespace
