// SPDX-License-Identifier: GPL-3.0-or-later
// The file of operating points.
#include "model/points_file.h"

#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>

namespace coord {
namespace {

std::vector<MeasuredProgram> read(const std::string &text) {
  std::istringstream file(text);
  return read_points(file, "FILE");
}

constexpr const char *kColumns = "# columns: program big little seconds\n";

TEST(PointsFile, RowsAreInAnyOrder) {
  const auto programs = read(std::string(kColumns) + "x\t1\t1\t1\nx\t0\t1\t8\nx\t1\t0\t2\n");
  ASSERT_EQ(programs.size(), 1u);
  EXPECT_EQ(programs[0].name, "x");
  const TableThroughput &p = programs[0].throughput;
  EXPECT_EQ(p.at(std::vector{1, 0}), 1.0 / 8);
  EXPECT_EQ(p.at(std::vector{0, 1}), 1.0 / 2);
  EXPECT_EQ(p.at(std::vector{1, 1}), 1);
}

TEST(PointsFile, ErrorsNameTheLineAndWhatIsExpected) {
  const auto fails = [](const std::string &text, const std::string &expected) {
    try {
      read(text);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const std::invalid_argument &error) {
      EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
    }
  };
  const std::string columns = kColumns;
  fails("", "FILE:0: no rows");
  for (const char *const wrong : {"program seconds", "big little seconds", "program big joules"})
    fails(std::string("# columns: ") + wrong + "\n", "FILE:1: columns: expected program");
  fails("x\t1\t0\t2\n", "FILE:1: 'x\t1\t0\t2'");
  for (const char *const wrong : {"1\t0", "1\t0\t-2", "1\t0\tnan", "1\t0\t2s", "1\t0\t2\t3",
                                  "1.5\t0\t2", "1\t-1\t2", "0\t0\t2", "1\t9999\t2"})
    fails(columns + "x\t" + wrong + "\n", "expected a program, 2 numbers of cores and seconds");
  fails(columns + "x\t1\t1\t2\nx\t1\t1\t2\n", "FILE:3: a second row for these cores of 'x'");
  fails(columns + "x\t1\t0\t2\nx\t0\t1\t2\n", "'x' has 2 rows; expected 3");
}

} // namespace
} // namespace coord
