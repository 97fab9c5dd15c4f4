// SPDX-License-Identifier: GPL-3.0-or-later
// What fold-take.c and fold-shares.c make of 1000 random regions, against the least time that whole
// ids allow. Prints a table, which docs/results/fold-learn/report.md has to have.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "calls.h"

namespace {

using calls::Times;

struct Row {
  Times share, at_end, over_static, over_best;
};

double quantile(Times values, double at) {
  std::sort(values.begin(), values.end());
  return values[size_t(at * double(values.size() - 1))];
}

std::string length_of(double ns) {
  return ns < 1e4   ? "regions of 3 to 10 us"
         : ns < 1e5 ? "regions of 10 to 100 us"
         : ns < 1e6 ? "regions of 0.1 to 1 ms"
         : ns < 1e7 ? "regions of 1 to 10 ms"
                    : "regions of 10 to 100 ms";
}

std::string ids_of(const calls::Case &program) {
  const size_t each = program.ids / program.believed.size();
  return each == 1   ? "one id for each core"
         : each <= 4 ? "2 to 4 ids for each core"
                     : "8 or 12 ids for each core";
}

std::string table(const std::map<std::string, Row> &rows) {
  std::ostringstream text;
  text << "| | regions | share | 10 % | worst | last third | 10 % | worst | over static | 10 % | "
          "worst | over the best | 10 % | worst |\n"
          "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const auto &[name, row] : rows) {
    text << "| " << name << " | " << row.share.size() << " |";
    for (const auto *values : {&row.share, &row.at_end, &row.over_static, &row.over_best})
      for (const double at : {.5, .1, 0.}) {
        char number[16];
        std::snprintf(number, sizeof number, " %.2f |", quantile(*values, at));
        text << number;
      }
    text << '\n';
  }
  return text.str();
}

TEST(Calls, ShareOfTheBestPossible) {
  std::map<std::string, Row> rows;
  for (unsigned n = 0; n < 1000; n++) {
    std::mt19937_64 random(n);
    const calls::Case program = calls::random_case(random);
    const calls::Outcome outcome = calls::play(program, random);
    for (const std::string &name :
         {std::string("all"), "costs: " + program.costs, "speeds told: " + program.known,
          "change: " + program.change, program.machine, ids_of(program),
          length_of(program.region_ns),
          std::string(program.gap_ns > calls::spin_ns ? "workers sleep between runs"
                                                      : "workers spin between runs")}) {
      rows[name].share.push_back(outcome.share);
      rows[name].at_end.push_back(outcome.share_at_end);
      rows[name].over_static.push_back(outcome.over_static);
      rows[name].over_best.push_back(outcome.over_best);
    }
  }
  const std::string text = table(rows);
  std::fputs(text.c_str(), stdout);
  std::ifstream file(AMP_REPORT);
  std::stringstream page;
  page << file.rdbuf();
  // The figures repeat exactly with one library of C++.
  EXPECT_NE(page.str().find(text), std::string::npos) << AMP_REPORT << ": expected this table";
}

// Against all ways to run up to six ids on up to three workers.
TEST(Calls, TheBoundIsOne) {
  double sum = 0, least = 1;
  constexpr int cases = 300;
  for (int n = 0; n < cases; n++) {
    std::mt19937_64 random(n);
    calls::Run run;
    Times begin;
    const size_t ids = learn::number(random, 1, 6), workers = learn::number(random, 1, 3);
    for (size_t id = 0; id < ids; id++)
      run.work.push_back(learn::uniform(random, .2, 2));
    size_t ways = 1;
    for (size_t w = 0; w < workers; w++) {
      run.speed.push_back(learn::uniform(random, 1, 9));
      begin.push_back(learn::uniform(random, 0, .1));
    }
    for (size_t id = 0; id < ids; id++)
      ways *= workers;
    double best = INFINITY;
    for (size_t way = 0; way < ways; way++) {
      Times end = begin;
      double last = 0;
      for (size_t id = 0, rest = way; id < ids; id++, rest /= workers) {
        end[rest % workers] += run.work[id] / run.speed[rest % workers];
        last = std::max(last, end[rest % workers]);
      }
      best = std::min(best, last);
    }
    const double bound = calls::bound(run, begin);
    EXPECT_LE(bound, best * (1 + 1e-6)) << n;
    sum += bound / best;
    least = std::min(least, bound / best);
  }
  std::printf("the bound is %.3f of the best on average, %.2f at least\n", sum / cases, least);
}

} // namespace
