// SPDX-License-Identifier: GPL-3.0-or-later
// Loops with known costs, cut by learn-cut.c from times that are computed: how close the cuts come
// to the best one there is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numeric>
#include <queue>
#include <random>
#include <vector>

extern "C" {
#include "loops/learn-cut.h"
}

namespace {

using Costs = std::vector<double>;

// What an iteration costs on the fastest core, by its number; all in ns.
Costs costs(size_t ni, const std::function<double(size_t)> &of) {
  Costs all(ni);
  for (size_t i = 0; i < ni; i++)
    all[i] = of(i);
  return all;
}

struct Free {
  void operator()(gomp_cut *cut) const { free(cut); }
};
using Cut = std::unique_ptr<gomp_cut, Free>;

Cut new_cut(size_t threads, bool alike) {
  Cut cut(static_cast<gomp_cut *>(calloc(1, gomp_cut_size(unsigned(threads)))));
  gomp_cut_init(cut.get(), unsigned(threads), alike);
  return cut;
}

// Cores with these speeds run a loop. Each chunk that is taken from a pool costs time.
class Machine {
public:
  explicit Machine(std::vector<double> speeds, double chunk_ns = 100)
      : speeds_(std::move(speeds)), chunk_ns_(chunk_ns) {
    alike_ = std::count(speeds_.begin(), speeds_.end(), speeds_[0]) == long(speeds_.size());
    cut_ = new_cut(speeds_.size(), alike_);
  }
  Machine(const Machine &) = delete;

  gomp_cut &cut() { return *cut_; }

  // Runs the loop once, and has it learned from if that is due. Returns its time.
  double run(const Costs &costs) {
    std::vector<gomp_cut_time> times(speeds_.size());
    for (unsigned i = 0; i < speeds_.size(); i++)
      times[i].cls =
          unsigned(std::find(speeds_.begin(), speeds_.end(), speeds_[i]) - speeds_.begin());
    if (cut_->mode == GOMP_CUT_PARTS)
      run_parts(costs, times);
    else
      run_shared(costs, times);
    const double whole = slowest(times);
    if (cut_->timed)
      gomp_cut_measured(cut_.get(), times.data(), whole, costs.size());
    else if (++waited_ == cut_->wait) {
      waited_ = 0;
      gomp_cut_begin_series(cut_.get());
    }
    return whole;
  }

  // The mean of many runs, after as many that learn.
  double mean(const std::function<Costs()> &next, int runs = 300) {
    for (int i = 0; i < runs; i++)
      run(next());
    double sum = 0;
    for (int i = 0; i < runs; i++)
      sum += run(next());
    return sum / runs;
  }
  double mean(const Costs &costs, int runs = 300) {
    return mean([&] { return costs; }, runs);
  }

  // The mean of runs that are all shared out, and teach nothing.
  double shared(const std::function<Costs()> &next, int runs = 300) const {
    double sum = 0;
    for (int i = 0; i < runs; i++) {
      std::vector<gomp_cut_time> times(speeds_.size());
      run_shared(next(), times);
      sum += slowest(times);
    }
    return sum / runs;
  }

  // No schedule is faster.
  double bound(const Costs &costs) const {
    const double all = std::accumulate(costs.begin(), costs.end(), 0.0);
    const double speed = std::accumulate(speeds_.begin(), speeds_.end(), 0.0);
    return std::max(all / speed, *std::max_element(costs.begin(), costs.end()));
  }

  // The lengths of all parts.
  std::vector<unsigned long long> parts(unsigned long long ni) const {
    std::vector<unsigned long long> all;
    unsigned long long first, end = 0;
    for (unsigned i = 0; i < speeds_.size(); i++) {
      all.push_back(gomp_cut_part(cut_.get(), i, ni, &first));
      EXPECT_EQ(first, end) << "part " << i;
      end = first + all.back();
    }
    EXPECT_EQ(end, ni);
    return all;
  }

private:
  static double slowest(const std::vector<gomp_cut_time> &times) {
    double whole = 0;
    for (const gomp_cut_time &time : times)
      whole = std::max(whole, time.ns);
    return whole;
  }

  void run_parts(const Costs &costs, std::vector<gomp_cut_time> &times) {
    const auto lengths = parts(costs.size());
    size_t at = 0;
    for (size_t i = 0; i < lengths.size(); i++) {
      for (size_t end = at + lengths[i]; at < end; at++)
        times[i].ns += costs[at] / speeds_[i];
      times[i].iterations = double(lengths[i]);
    }
  }

  void run_shared(const Costs &costs, std::vector<gomp_cut_time> &times) const {
    const size_t chunk = std::max<size_t>(1, costs.size() / (128 * speeds_.size()));
    for (size_t at = 0; at < costs.size();) {
      const size_t end = std::min(costs.size(), at + chunk);
      gomp_cut_time &first = *std::min_element(times.begin(), times.end(),
                                               [](auto &a, auto &b) { return a.ns < b.ns; });
      first.ns += chunk_ns_;
      first.iterations += double(end - at);
      for (; at < end; at++)
        first.ns += costs[at] / speeds_[size_t(&first - times.data())];
    }
  }

  std::vector<double> speeds_;
  double chunk_ns_;
  bool alike_;
  Cut cut_;
  unsigned waited_ = 0;
};

const std::vector<double> kAlike(4, 1.0);
const std::vector<double> kTwo = {1, 1, 1, 1, 1 / 3., 1 / 3., 1 / 3., 1 / 3.};
const std::vector<double> kThree = {1, .7, .7, .7, .25, .25, .25, .25};

struct Shape {
  const char *name;
  Costs all;
};

std::vector<Shape> shapes(size_t ni) {
  const double n = double(ni);
  return {{"even", costs(ni, [](size_t) { return 100; })},
          {"rising", costs(ni, [=](size_t i) { return 200 * double(i) / n; })},
          {"falling", costs(ni, [=](size_t i) { return 200 - 200 * double(i) / n; })},
          {"square", costs(ni, [=](size_t i) { return 300 * double(i * i) / (n * n); })},
          {"step", costs(ni, [=](size_t i) { return double(i) < .7 * n ? 40 : 240; })},
          {"peak",
           costs(ni, [=](size_t i) { return std::abs(double(i) - n / 3) < n / 10 ? 500 : 20; })},
          {"empty half", costs(ni, [=](size_t i) { return double(i) < n / 2 ? 0 : 200; })}};
}

} // namespace

TEST(LearnCut, UnevenCostsThatStay) {
  for (const auto &speeds : {kAlike, kTwo, kThree})
    for (const Shape &shape : shapes(20000)) {
      SCOPED_TRACE(std::string(shape.name) + " on " + std::to_string(speeds.size()));
      Machine machine(speeds);
      EXPECT_LE(machine.mean(shape.all), 1.05 * machine.bound(shape.all));
      EXPECT_EQ(machine.cut().mode, GOMP_CUT_PARTS);
    }
}

TEST(LearnCut, EvenCostsOnEqualCoresStayEven) {
  Machine machine(kAlike);
  const Costs even = costs(1001, [](size_t) { return 100; });
  for (int i = 0; i < 1000; i++) {
    machine.run(even);
    ASSERT_TRUE(machine.cut().even);
    ASSERT_EQ(machine.cut().mode, GOMP_CUT_PARTS);
  }
  EXPECT_EQ(machine.cut().wait, unsigned(GOMP_CUT_WAIT_MOST));
}

// On cores of speed 1 and 1/3, by hand: 3/4 and 1/4, in whole iterations.
TEST(LearnCut, FewIterations) {
  const std::vector<std::pair<size_t, std::vector<unsigned long long>>> expected = {
      {1, {1, 0}}, {2, {2, 0}}, {3, {2, 1}}, {4, {3, 1}}, {8, {6, 2}}, {100, {75, 25}}};
  for (const auto &[ni, parts] : expected) {
    Machine machine({1, 1 / 3.});
    const Costs even = costs(ni, [](size_t) { return 10000; });
    machine.mean(even);
    const double mean = machine.mean(even);
    // Two parts of two iterations take as long as three on the fast core.
    if (machine.cut().mode == GOMP_CUT_PARTS && ni != 3) {
      EXPECT_EQ(machine.parts(ni), parts);
    }
    EXPECT_LE(mean, 1.05 * 10000 * std::max<double>(parts[0], 3. * parts[1])) << ni;
  }
}

// Each series of cuts that are no better makes the wait for the next one longer.
TEST(LearnCut, CostsThatAreNeverTheSameAreShared) {
  std::mt19937_64 random(1);
  std::uniform_int_distribution<size_t> heavy(0, 3999);
  for (const auto &speeds : {kAlike, kTwo}) {
    const auto next = [&] {
      const size_t from = heavy(random);
      return costs(4000, [=](size_t i) { return (i + 4000 - from) % 4000 < 400 ? 5000 : 50; });
    };
    Machine machine(speeds, 20);
    const double mean = machine.mean(next, 3000);
    EXPECT_EQ(machine.cut().mode, GOMP_CUT_SHARED);
    EXPECT_LE(mean, 1.05 * machine.shared(next));
  }
}

// What is learned is forgotten, whichever mode it was.
TEST(LearnCut, CostsThatChangeOnce) {
  for (const auto &speeds : {kAlike, kTwo, kThree}) {
    Machine machine(speeds);
    for (const Shape &shape : shapes(5000)) {
      SCOPED_TRACE(std::string(shape.name) + " on " + std::to_string(speeds.size()));
      machine.mean(shape.all, 1000);
      EXPECT_LE(machine.mean(shape.all), 1.07 * machine.bound(shape.all));
    }
  }
}

// A disturbed measurement neither unsettles a good cut nor is followed.
TEST(LearnCut, OneSlowInvocationIsNoReasonToCutAnew) {
  Machine machine(kTwo);
  const Costs even = costs(8000, [](size_t) { return 100; });
  Costs disturbed = even;
  for (size_t i = 100; i < 200; i++)
    disturbed[i] = 3000;
  machine.mean(even);
  while (!machine.cut().timed)
    machine.run(even);
  const auto before = machine.parts(8000);
  machine.run(disturbed);
  EXPECT_EQ(machine.parts(8000), before);
  machine.run(even);
  EXPECT_EQ(machine.parts(8000), before);
}

TEST(LearnCut, AnotherTripCountBeginsWithWhatIsKnown) {
  for (const auto &speeds : {kAlike, kTwo}) {
    Machine from(speeds), to(speeds);
    const Shape shape = shapes(20000)[1], longer = shapes(27000)[1];
    from.mean(shape.all);
    gomp_cut_inherit(&to.cut(), &from.cut(), longer.all.size());
    EXPECT_LE(to.run(longer.all), 1.05 * to.bound(longer.all));
  }
}

// Whatever is measured, even nonsense, the parts are a partition.
TEST(LearnCut, AnyTimes) {
  std::mt19937_64 random(7);
  const double odd[] = {0, 1, 1e-300, 1e300, 3.5, 1e9};
  const unsigned long long trips[] = {1, 2, 7, 127, 129, 100000, 1ULL << 32, ~0ULL};
  for (int seed = 0; seed < 2000; seed++) {
    const unsigned threads = 1 + unsigned(random() % 64);
    const Cut cut = new_cut(threads, random() % 2);
    for (int run = 0; run < 20; run++) {
      const unsigned long long ni = trips[random() % 8];
      std::vector<gomp_cut_time> times(threads);
      for (gomp_cut_time &time : times)
        time = {odd[random() % 6], odd[random() % 6], unsigned(random() % 3)};
      if (!cut->timed)
        gomp_cut_begin_series(cut.get());
      gomp_cut_measured(cut.get(), times.data(), odd[random() % 6], ni);
      unsigned long long first, end = 0;
      for (unsigned i = 0; i < threads; i++) {
        const unsigned long long count = gomp_cut_part(cut.get(), i, ni, &first);
        ASSERT_EQ(first, end) << "part " << i << " of " << threads << ", " << ni << " iterations";
        end = first + count;
      }
      ASSERT_EQ(end, ni);
    }
  }
}
