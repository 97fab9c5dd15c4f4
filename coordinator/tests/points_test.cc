// SPDX-License-Identifier: GPL-3.0-or-later
// Operating points: HARP's choice among them, and the file that they come from.
#include "model/points_file.h"
#include "policies/points.h"

#include <gtest/gtest.h>

#include <random>
#include <sstream>
#include <stdexcept>

namespace coord {
namespace {

double cost_of(const std::vector<Choices> &apps, const std::vector<int> &chosen) {
  double sum = 0;
  for (std::size_t i = 0; i < apps.size(); i++)
    sum += apps[i].at(chosen.at(i)).cost;
  return sum;
}

TEST(Points, ParetoKeepsWhatNoOtherReplaces) {
  const Choices kept =
      pareto({{{1, 0}, 5}, {{2, 0}, 5}, {{0, 1}, 4}, {{1, 1}, 4.5}, {{2, 2}, 1}, {{1, 0}, 5}});
  ASSERT_EQ(kept.size(), 3u);
  EXPECT_EQ(kept[0].cores, (Counts{1, 0}));
  EXPECT_EQ(kept[1].cores, (Counts{0, 1}));
  EXPECT_EQ(kept[2].cores, (Counts{2, 2}));
}

TEST(Points, PricesAreByObjective) {
  const std::vector<OperatingPoint> points{{{1, 0}, 1, 2}, {{0, 1}, 4, 4}};
  EXPECT_EQ(price(points, Objective::Time, 8)[1].cost, -0.5);
  EXPECT_EQ(price(points, Objective::Energy, 8)[0].cost, 2);
  EXPECT_EQ(price(points, Objective::Energy, 8)[1].cost, 1);
  EXPECT_EQ(price(points, Objective::EnergyDelay, 8)[0].cost, 8);
}

TEST(Points, TheChoiceFitsLeavesNobodyOutAndIsNearTheBest) {
  std::mt19937_64 random(1);
  double ratio = 0;
  constexpr int kRounds = 500;
  for (int round = 0; round < kRounds; round++) {
    // Every other time as many applications as cores.
    const bool tight = round % 2 == 0;
    const int most = tight ? 2 : 4;
    const std::vector<int> cores{std::uniform_int_distribution(1, most)(random),
                                 std::uniform_int_distribution(1, most)(random)};
    std::vector<Choices> apps(
        tight ? cores[0] + cores[1]
              : std::uniform_int_distribution(1, std::min(4, cores[0] + cores[1]))(random));
    for (Choices &choices : apps) {
      const AmdahlThroughput p({1, std::uniform_real_distribution(1.0, 4.0)(random)},
                               std::uniform_real_distribution(0.0, 0.5)(random));
      std::vector<OperatingPoint> points;
      for_each_count(cores, [&](const Counts &n) {
        if (total(n) > 0)
          points.push_back({n, p.at({n.data(), 2}), 1.0 * n[0] + 10 * n[1]});
      });
      choices = pareto(price(points, Objective::Time, p.at(cores)));
    }
    const std::vector<int> chosen = choose(cores, apps);
    Counts used{};
    for (std::size_t i = 0; i < apps.size(); i++) {
      ASSERT_GE(chosen[i], 0) << "round " << round;
      for (int c = 0; c < 2; c++)
        used[c] += apps[i][chosen[i]].cores[c];
    }
    ASSERT_LE(used[0], cores[0]);
    ASSERT_LE(used[1], cores[1]);
    const double best = cost_of(apps, choose_by_trying(cores, apps));
    ASSERT_GE(cost_of(apps, chosen), best - 1e-9);
    ratio += cost_of(apps, chosen) / best / kRounds;
  }
  EXPECT_GT(ratio, 0.9);
}

TEST(Points, TheFirstLeavesCoresForTheRest) {
  // All prefer both cores, by so much that no multiplier parts them.
  const Choices greedy{{{1, 1}, -9}, {{1, 0}, -1}, {{0, 1}, -1}};
  const std::vector<int> cores{1, 1};
  const std::vector<Choices> apps{greedy, greedy};
  for (const int chosen : choose(cores, apps))
    EXPECT_GT(chosen, 0);
}

TEST(Points, OneWaitsWhereNothingFits) {
  const std::vector<int> cores{1, 0};
  const std::vector<Choices> apps{{{{1, 0}, -1}}, {{{1, 0}, -1}}, {}};
  EXPECT_EQ(choose(cores, apps), (std::vector{0, -1, -1}));
}

std::vector<MeasuredProgram> read(const std::string &text) {
  std::istringstream file(text);
  return read_points(file, "FILE");
}

constexpr const char *kColumns = "# columns: program big little seconds joules\n";

TEST(PointsFile, HolesCountAsTheBestWithin) {
  const auto programs =
      read(std::string(kColumns) + "x\t0\t1\t8\t1\nx\t1\t0\t2\t3\nx\t2\t2\t1\t4\n");
  ASSERT_EQ(programs.size(), 1u);
  const TableThroughput p = programs[0].throughput();
  EXPECT_EQ(p.at(std::vector{1, 0}), 1.0 / 8);
  EXPECT_EQ(p.at(std::vector{2, 1}), 1.0 / 2);
  EXPECT_EQ(p.at(std::vector{2, 2}), 1);
  EXPECT_EQ(programs[0].at({2, 1})->joules, 3);
  EXPECT_EQ(programs[0].at({}), nullptr);
  EXPECT_EQ(programs[0].alone().seconds, 1);
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
  fails("x\t1\t0\t2\t3\n", "FILE:1: a row before a line '# columns:");
  fails("# columns: program seconds\n", "FILE:1: columns");
  fails("# columns: big little seconds\n", "FILE:1: columns");
  fails("# columns: program big little joules\n", "FILE:1: columns");
  fails(columns + "x\t1\t0\t2\n", "FILE:2: 4 columns; expected 5");
  fails(columns + "x\t1\t0\t-2\t3\n", "FILE:2: column seconds: '-2': expected seconds above 0");
  fails(columns + "x\t1\t0\tnan\t3\n", "column seconds: 'nan'");
  fails(columns + "x\t1\t0\t2s\t3\n", "column seconds: '2s'");
  fails(columns + "x\t1.5\t0\t2\t3\n", "column big: '1.5': expected a number of cores");
  fails(columns + "x\t1\t-1\t2\t3\n", "column little: '-1': expected a number of cores");
  fails(columns + "x\t0\t0\t2\t3\n", "FILE:2: no cores");
  fails(columns + "x\t1\t1\t2\t3\nx\t1\t1\t2\t3\n", "FILE:3: a second row for these cores of 'x'");
  fails(columns + "x\t1\t1\t2\t3\ny\t1\t0\t2\t3\n", "'y' has no row for all cores");
}

} // namespace
} // namespace coord
