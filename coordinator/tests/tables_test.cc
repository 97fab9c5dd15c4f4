// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of docs/results/coordinator/report.md: each is in its band, or has a reason.
#include "sim/sharing.h"
#include "sim/tables.h"

#include <gtest/gtest.h>
#include <sstream>

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

TEST(Tables, SharingIsAMedianOfRounds) {
  std::istringstream file(
      "# interim: as others ran\n# columns: library program round alone together\n"
      "stock\tfib\t1\t2\t2.2\nstock\tfib\t2\t2\t3\namp\tfib\t1\t2\t2\n"
      "stock\tfib\t3\t2\t2.4\n");
  const Sharing sharing = read_sharing(file, "file");
  EXPECT_TRUE(sharing.interim);
  ASSERT_EQ(sharing.rows.size(), 2U);
  EXPECT_NEAR(sharing.of("stock", "fib").median(), 0.2, 1e-9);
  EXPECT_NEAR(sharing.of("amp", "fib").median(), 0, 1e-9);
  EXPECT_THROW(sharing.of("amp", "ep"), std::out_of_range);
  for (const char *const wrong : {"stock\tfib\t1\t2", "stock\tfib\t1\t0\t1", "a\tb\t1\t2\t3\t4"}) {
    std::istringstream bad(wrong);
    EXPECT_THROW(read_sharing(bad, "file"), std::invalid_argument) << wrong;
  }
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
