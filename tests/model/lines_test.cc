// SPDX-License-Identifier: GPL-3.0-or-later
// How often threads access the cache lines that they share, in short loops; and what they measure
// although removals take their time.
#include <gtest/gtest.h>

#include <cstdio>

#include "lines.h"
#include "simulation.h"

namespace {

using model::Loop;
using model::Outcome;

// `slow` threads on cores of speed 1 and as many on cores of speed `factor`.
Loop make_loop(unsigned slow, double factor, gomp_aid_count ni, double cost) {
  Loop loop;
  loop.setting.kind = GFS_AID_HYBRID;
  loop.setting.ni = ni;
  for (unsigned i = 0; i < 2 * slow; i++) {
    loop.setting.classes.push_back(i >= slow);
    loop.speeds.push_back(i >= slow ? factor : 1);
  }
  loop.cost = [cost](gomp_aid_count) { return cost; };
  loop.removal_ns = 0;
  loop.lines = true;
  return loop;
}

// A loop of 64 iterations, as the benchmarks of loop costs have. `before` is what it was when each
// removal read the pool first, and three additions counted a thread in.
TEST(Lines, AccessesOfAShortLoop) {
  struct {
    unsigned slow;
    double cost;
    double before, most; // accesses of a thread, in the mean
  } const cases[] = {
      {1, 5, 14, 3},  {2, 5, 13, 3.5},  {4, 5, 8, 3.5},
      {8, 5, 7, 3.5}, {2, 300, 14, 10}, {4, 300, 9.5, 5.5},
  };
  for (const auto &each : cases) {
    const Outcome outcome = simulate(make_loop(each.slow, 3, 64, each.cost));
    const double of_thread = double(outcome.accesses) / (2 * each.slow);
    std::printf("%u threads, 64 iterations of %.0f ns: %.2f accesses a thread, before %.2f\n",
                2 * each.slow, each.cost, of_thread, each.before);
    EXPECT_TRUE(outcome.once);
    EXPECT_LE(of_thread, each.most);
  }
}

// The factor that a loop of aid_static publishes, by the share of a fast thread over that of a slow
// one.
double published_factor(const Loop &loop) {
  double factor = 0;
  Loop watched = loop;
  watched.visit = [&](const model::Team &team) {
    const gomp_amp_loop *const state = team.loop();
    if (state->phase != 0 && state->share[0] != 0)
      factor = double(state->share[1]) / double(state->share[0]);
  };
  simulate(watched);
  return factor;
}

// However short the iterations: removals take 80 ns and more, on cores of any class.
TEST(Lines, FactorsOfShortIterations) {
  for (unsigned slow : {1u, 4u, 8u})
    for (double factor : {1.5, 3., 6.})
      for (double cost : {2., 10., 50., 300.}) {
        Loop loop = make_loop(slow, factor, 2000000, cost);
        loop.setting.kind = GFS_AID_STATIC;
        const double found = published_factor(loop);
        std::printf("%u threads, %.0f ns: %.2f, in truth %.2f\n", 2 * slow, cost, found, factor);
        EXPECT_NEAR(found / factor, 1, 0.06) << 2 * slow << " threads, " << cost << " ns";
      }
}

} // namespace
