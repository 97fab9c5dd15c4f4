// SPDX-License-Identifier: GPL-3.0-or-later
// What fold-learn.c makes of 2000 random programs, against the best ranges of each phase. Prints a
// table, which is in docs/folding.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "cases.h"

namespace {

struct Row {
  std::vector<double> share, at_end, moves;
};

double quantile(std::vector<double> values, double at) {
  std::sort(values.begin(), values.end());
  return values[size_t(at * double(values.size() - 1))];
}

std::string length_of(double phase_ns) {
  return phase_ns < 1e4   ? "phases of 1 to 10 us"
         : phase_ns < 1e5 ? "phases of 10 to 100 us"
         : phase_ns < 1e6 ? "phases of 0.1 to 1 ms"
         : phase_ns < 1e7 ? "phases of 1 to 10 ms"
                          : "phases of 10 to 100 ms";
}

void print(const std::map<std::string, Row> &rows) {
  std::printf("| | programs | share of the best: median | 10 %% | worst | "
              "in the last third: median | 10 %% | worst | moves: median | most |\n"
              "|---|---|---|---|---|---|---|---|---|---|\n");
  for (const auto &[name, row] : rows) {
    std::printf("| %s | %zu |", name.c_str(), row.share.size());
    for (const auto *values : {&row.share, &row.at_end})
      std::printf(" %.2f | %.2f | %.2f |", quantile(*values, .5), quantile(*values, .1),
                  quantile(*values, 0));
    std::printf(" %.0f | %.0f |\n", quantile(row.moves, .5), quantile(row.moves, 1));
  }
}

TEST(FoldLearn, ShareOfTheBestRanges) {
  std::map<std::string, Row> rows;
  for (unsigned n = 0; n < 2000; n++) {
    std::mt19937_64 random(n);
    const learn::Case program = learn::random_case(random);
    const learn::Outcome outcome = learn::play(program, random);
    for (const std::string &name :
         {std::string("all"), "costs: " + program.costs, "speeds told: " + program.known,
          "change: " + program.change, program.machine, length_of(program.phase_ns)}) {
      rows[name].share.push_back(outcome.share);
      rows[name].at_end.push_back(outcome.share_at_end);
      rows[name].moves.push_back(double(outcome.moves));
    }
  }
  print(rows);
  // The figures repeat exactly with one library of C++.
  const Row &all = rows["all"];
  EXPECT_GE(quantile(all.share, .5), .95);
  EXPECT_GE(quantile(all.share, .1), .89);
  EXPECT_GE(quantile(all.at_end, .5), .97);
  EXPECT_GE(quantile(all.at_end, .1), .94);
  EXPECT_GE(quantile(all.at_end, 0), .6);
}

} // namespace
