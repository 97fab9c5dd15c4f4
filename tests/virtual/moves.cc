// SPDX-License-Identifier: GPL-3.0-or-later
// Folded teams in virtual time that learn which ids each core should have. To be run on
// VIRTUAL_MACHINE with GOMP_AMP_FOLD. What the library is told of the speeds of cores may be wrong.
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "ompx_amp.h"
#include "work.h"

// The linker finds the system's libgomp, which does not have it.
#pragma weak ompx_amp_get_worker_num

namespace {

using Numbers = std::vector<double>;

// The speeds of the cores of VIRTUAL_MACHINE, the fastest 1.
Numbers read_speeds() {
  Numbers speeds;
  const char *machine = std::getenv("VIRTUAL_MACHINE");
  int count, length;
  double speed;
  while (machine && std::sscanf(machine, "%dx%lf%n", &count, &speed, &length) == 2) {
    speeds.insert(speeds.end(), size_t(count), speed);
    machine += length + (machine[length] == '+');
  }
  const double fastest = *std::max_element(speeds.begin(), speeds.end());
  for (double &each : speeds)
    each /= fastest;
  return speeds;
}

// When the last core ends with the best contiguous ranges of ids. The library's are of another
// order, with which it can be earlier.
double best_end(const Numbers &work, const Numbers &speeds) {
  Numbers ends(work.size() + 1, std::numeric_limits<double>::infinity());
  ends[0] = 0;
  for (const double speed : speeds) {
    Numbers next = ends;
    for (size_t first = 0; first < work.size(); first++) {
      double own = 0;
      for (size_t end = first + 1; end <= work.size(); end++) {
        own += work[end - 1] / speed;
        next[end] = std::min(next[end], std::max(ends[first], own));
      }
    }
    ends = next;
  }
  return ends.back();
}

class Moves : public testing::TestWithParam<const char *> {
protected:
  const size_t ids = size_t(omp_get_max_threads());
  Numbers cost;

  // A phase of some 1.5 ms: each id has EACH iterations.
  static constexpr size_t each = 4;
  void SetUp() override {
    const std::string shape = GetParam();
    for (size_t i = 0; i < each * ids; i++) {
      const double place = (double(i) + .5) / double(each * ids);
      cost.push_back(shape == "rising" ? place : shape == "falling" ? 1 - place : 1);
    }
    double sum = 0;
    for (const double one : cost)
      sum += one;
    for (double &one : cost)
      one *= .0008 * double(read_speeds().size()) / sum;
  }

  // What the pool has learned goes with it.
  static void forget() { ASSERT_EQ(omp_pause_resource_all(omp_pause_soft), 0); }

  void phase() const {
#pragma omp for schedule(static)
    for (size_t i = 0; i < cost.size(); i++)
      work(cost[i]);
  }

  // How early the cores, each with the ids that it has now, would end, as a share of what the best
  // ranges give.
  double share() const {
    std::vector<size_t> worker(ids);
#pragma omp parallel
    {
      worker[size_t(omp_get_thread_num())] = size_t(ompx_amp_get_worker_num());
#pragma omp barrier
    }
    const Numbers speeds = read_speeds();
    Numbers work(ids, 0), end(speeds.size(), 0);
    for (size_t i = 0; i < cost.size(); i++) {
      work[i / each] += cost[i];
      end[worker[i / each]] += cost[i] / speeds[worker[i / each]];
    }
    return best_end(work, speeds) / *std::max_element(end.begin(), end.end());
  }

  // RUN runs some phases. Other load on the host disturbs the times that were measured, now and
  // then, and what they told is believed for long: learning begins again some times. What may be
  // missing in addition is 3 % that are not worth a move.
  template <typename Run> void check(const Run &run, int attempts = 20) const {
    double best = 0;
    for (int attempt = 0; attempt < attempts && best < .9; attempt++) {
      if (attempt % 5 == 0)
        forget();
      run();
      best = std::max(best, share());
    }
    std::printf("%s: %.3f of the best ranges\n", GetParam(), best);
    EXPECT_GE(best, .9);
  }
};

constexpr int phases = 60;

TEST_P(Moves, InManyRegions) {
  check([this] {
    for (int round = 0; round < phases; round++) {
#pragma omp parallel
      phase();
    }
  });
}

TEST_P(Moves, InOneRegion) {
  check([this] {
#pragma omp parallel
    for (int round = 0; round < phases; round++)
      phase();
  });
}

INSTANTIATE_TEST_SUITE_P(Costs, Moves, testing::Values("even", "rising", "falling"),
                         [](const auto &costs) { return std::string(costs.param); });

} // namespace
