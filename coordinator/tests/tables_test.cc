// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of docs/results/coordinator/report.md: each is in its band, or has a reason.
#include "sim/tables.h"

#include <gtest/gtest.h>

namespace coord {

std::vector<Figure> table_a();
std::vector<Figure> table_b();
std::vector<Figure> table_c_fast();

namespace {

void expect_in_bands(const std::vector<Figure> &figures, std::size_t most_outside) {
  std::size_t outside = 0;
  for (const Figure &figure : figures) {
    EXPECT_EQ(figure.inside(), figure.reason.empty())
        << figure.id << ' ' << figure.what << ": " << figure.ours;
    outside += !figure.inside();
  }
  EXPECT_LE(outside, most_outside);
}

// Linux, in both figures, MTS, and C6.
TEST(Tables, C) { expect_in_bands(table_c_fast(), 4); }

TEST(Tables, A) { expect_in_bands(table_a(), 2); }

TEST(Tables, B) {
  const std::vector<Figure> figures = table_b();
  expect_in_bands(figures, 2);
  for (const Figure &figure : figures) {
    // What has to be met whatever the board.
    if (figure.id == "B1" || figure.id == "B6") {
      EXPECT_TRUE(figure.inside()) << figure.id << ' ' << figure.what;
    }
  }
}

} // namespace
} // namespace coord
