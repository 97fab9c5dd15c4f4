// SPDX-License-Identifier: GPL-3.0-or-later
// What fold-learn.c and fold-ranges.c make of random programs, against the best ranges of each
// phase. Prints a table, which is in docs/results/fold-learn/report.md. The variable
// AMP_TEST_PROGRAMS says of how many programs; 2000 otherwise.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "cases.h"

namespace {

struct Row {
  std::vector<double> share, at_end, gain, moves;
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

std::string ids_of(const learn::Case &program) {
  return program.ids == program.believed.size() ? "one id for each core"
                                                : "several ids for each core";
}

void print(const std::map<std::string, Row> &rows) {
  std::printf("| | programs | share of the best: median | 10 %% | worst | "
              "in the last third: median | 10 %% | worst | gain: median | 10 %% | worst | "
              "moves: median | most |\n"
              "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const auto &[name, row] : rows) {
    std::printf("| %s | %zu |", name.c_str(), row.share.size());
    for (const auto *values : {&row.share, &row.at_end, &row.gain})
      std::printf(" %.2f | %.2f | %.2f |", quantile(*values, .5), quantile(*values, .1),
                  quantile(*values, 0));
    std::printf(" %.0f | %.0f |\n", quantile(row.moves, .5), quantile(row.moves, 1));
  }
}

TEST(FoldLearn, ShareOfTheBestRanges) {
  std::map<std::string, Row> rows;
  const char *const wanted = std::getenv("AMP_TEST_PROGRAMS");
  const unsigned programs = wanted ? std::stoul(wanted) : 2000;
  for (unsigned n = 0; n < programs; n++) {
    std::mt19937_64 random(n);
    const learn::Case program = learn::random_case(random);
    const learn::Outcome outcome = learn::play(program, random);
    for (const std::string &name :
         {std::string("all"), "costs: " + program.costs, "speeds told: " + program.known,
          "change: " + program.change, program.machine, ids_of(program),
          length_of(program.phase_ns)}) {
      rows[name].share.push_back(outcome.share);
      rows[name].at_end.push_back(outcome.share_at_end);
      rows[name].gain.push_back(outcome.gain);
      rows[name].moves.push_back(double(outcome.moves));
    }
  }
  print(rows);
  // The figures repeat exactly with one library of C++.
  for (const char *change : {"change: none", "change: drift", "change: intruder"}) {
    const Row &row = rows[change];
    EXPECT_GE(quantile(row.share, .5), .92) << change;
    EXPECT_GE(quantile(row.share, .1), .84) << change;
    EXPECT_GE(quantile(row.at_end, .5), .96) << change;
    EXPECT_GE(quantile(row.at_end, .1), .9) << change;
    EXPECT_GE(quantile(row.at_end, 0), .6) << change;
  }
  // What was work and what was speed has to be found out twice more.
  const Row &pattern = rows["change: pattern"];
  EXPECT_GE(quantile(pattern.share, .5), .88);
  EXPECT_GE(quantile(pattern.at_end, .5), .93);
  EXPECT_GE(quantile(pattern.at_end, .1), .7);
}

// The time of 1000 batches of 20 ms, over that with the ranges of the beginning. Costs are of no
// pattern: each is drawn again for each batch. Half of the cores are twice as fast, which is told.
double time_without_pattern(unsigned workers, unsigned ids, double sigma, unsigned seed) {
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> cost(0, sigma);
  learn::Times speed;
  for (unsigned w = 0; w < workers; w++)
    speed.push_back(w < workers / 2 ? 2 : 1);
  const learn::Learner learner(speed, ids);
  const std::vector<unsigned> fixed(learner->first, learner->first + workers + 1);
  double spent = 0, spent_fixed = 0;
  for (int batch = 0; batch < 1000; batch++) {
    learn::Times work, time;
    for (unsigned id = 0; id < ids; id++)
      work.push_back(2e7 / ids * workers * cost(random));
    const auto end = [&](const unsigned *first) {
      double last = 0;
      for (unsigned w = 0; w < workers; w++) {
        double own = 0;
        for (unsigned id = first[w]; id < first[w + 1]; id++)
          own += work[id] / speed[w];
        last = std::max(last, own);
      }
      return last;
    };
    spent += end(learner->first);
    spent_fixed += end(fixed.data());
    for (unsigned w = 0; w < workers; w++)
      for (unsigned id = learner->first[w]; id < learner->first[w + 1]; id++)
        time.push_back(work[id] / speed[w]);
    gomp_fold_better_ranges(learner.get(), time.data(), learn::turn_ns, GOMP_FOLD_LEAST_NS);
  }
  return spent / spent_fixed;
}

TEST(FoldLearn, CostsWithoutPatternDoLittleHarm) {
  for (const unsigned workers : {4u, 8u})
    for (const double sigma : {.1, .2, .3, .5, 1., 2.}) {
      std::vector<double> times;
      for (unsigned seed = 0; seed < 20; seed++)
        times.push_back(time_without_pattern(workers, 4 * workers, sigma, seed));
      std::printf("%u workers, costs lognormal by %.1f: %.3f times as long, at most %.3f\n",
                  workers, sigma, quantile(times, .5), quantile(times, 1));
      EXPECT_LE(quantile(times, .5), 1.12) << workers << ", " << sigma;
      EXPECT_LE(quantile(times, 1), 1.25) << workers << ", " << sigma;
    }
}

// What john does at its start: regions of one iteration, then of two, and then of as many as there
// are ids. Ids without an iteration say nothing of speeds, and must not end up on the fast worker.
TEST(FoldLearn, IdsThatHadNothingToDo) {
  for (unsigned one = 0; one < 12; one++)
    for (unsigned two = 0; two < 12; two++) {
      const double speed[] = {1024, 512};
      const unsigned first[] = {0, 2, 3};
      gomp_fold_ranges *learner = gomp_fold_make_ranges(3, 2, speed, first);
      ASSERT_NE(learner, nullptr);
      for (unsigned batch = 0; batch < one + two + 5; batch++) {
        const unsigned busy = batch < one ? 1 : batch < one + two ? 2 : 3;
        double time[3];
        for (unsigned w = 0; w < 2; w++)
          for (unsigned id = learner->first[w]; id < learner->first[w + 1]; id++)
            time[id] = (id < busy ? 27000 : 15) * (w + 1);
        gomp_fold_better_ranges(learner, time, 31, 470);
      }
      EXPECT_EQ(learner->first[1], 2U) << one << " batches of one, " << two << " of two";
      gomp_fold_free_ranges(learner);
    }
}

} // namespace
