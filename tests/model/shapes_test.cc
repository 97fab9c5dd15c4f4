// SPDX-License-Identifier: GPL-3.0-or-later
// Two thousand random shapes of loops, under what a routed loop runs as, beside inline static code
// and beside what no schedule can better. Simulated time, so that the figures are the same on every
// machine; with AMP_SHAPES=<number> as many shapes, and a table of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "shapes.h"

namespace {

using model::Shape;

// Iterations for each thread.
enum Length { kFew, kSome, kMany };

struct Result {
  Shape shape; // without its costs
  size_t ni;
  double ns;      // of the schedule
  double list_ns; // of dynamic,1 if removals took no time: what an order without foresight can do
  Length length() const {
    const size_t threads = shape.speeds.size();
    return ni < 8 * threads ? kFew : ni < 64 * threads ? kSome : kMany;
  }
  double to_static() const { return ns / shape.inline_static; }
  double to_bound() const { return ns / shape.bound; }
};

struct Figures {
  size_t runs = 0;
  double behind = 0;      // part of them more than 5 % behind inline static
  double over = 0;        // more than 1.25 times the bound
  double list_behind = 0; // the same of list_ns
  double list_over = 0;
  double to_bound = 0; // geometric mean
  double worst = 0;    // beside static
};

Figures figures(const std::vector<const Result *> &runs) {
  Figures all;
  all.runs = runs.size();
  const double part = 1. / runs.size();
  for (const Result *run : runs) {
    all.behind += run->to_static() > 1.05 ? part : 0;
    all.over += run->to_bound() > 1.25 ? part : 0;
    all.list_behind += run->list_ns > 1.05 * run->shape.inline_static ? part : 0;
    all.list_over += run->list_ns > 1.25 * run->shape.bound ? part : 0;
    all.to_bound += part * std::log(run->to_bound());
    all.worst = std::max(all.worst, run->to_static());
  }
  all.to_bound = std::exp(all.to_bound);
  return all;
}

class Shapes : public testing::Test {
protected:
  static std::vector<Result> runs;

  static void SetUpTestSuite() {
    const char *const asked = std::getenv("AMP_SHAPES");
    const size_t count = asked ? std::strtoul(asked, nullptr, 10) : 2000;
    for (size_t seed = 0; seed < count; seed++) {
      Result run{model::make_shape(seed), 0, 0, 0};
      run.ni = run.shape.cost.size();
      const model::Outcome outcome = simulate(run.shape.loop(GFS_AID_HYBRID));
      EXPECT_TRUE(outcome.once) << "shape " << seed;
      run.ns = outcome.ns;
      model::Loop list = run.shape.loop(GFS_AID_HYBRID);
      list.lines = false;
      run.list_ns = simulate_dynamic(list).ns;
      std::vector<double>().swap(run.shape.cost);
      runs.push_back(std::move(run));
    }
    if (asked)
      print_table();
  }
  static void TearDownTestSuite() { runs.clear(); }

  template <typename Wanted> static Figures figures_of(Wanted wanted) {
    std::vector<const Result *> some;
    for (const Result &run : runs)
      if (wanted(run))
        some.push_back(&run);
    return figures(some);
  }

  static void print_row(const std::string &name, const Figures &row) {
    std::printf("| %-28s | %5zu | %5.1f %% | %5.1f %% | %5.1f %% | %5.1f %% | %5.2f | %5.2f |\n",
                name.c_str(), row.runs, 100 * row.behind, 100 * row.list_behind, 100 * row.over,
                100 * row.list_over, row.to_bound, row.worst);
  }

  static void print_table() {
    std::puts("| shapes | number | > 1.05 static | the same, free list | > 1.25 bound | the same, "
              "free list | / bound | worst / static |\n|---|--:|--:|--:|--:|--:|--:|--:|");
    print_row("all", figures_of([](const Result &) { return true; }));
    for (const std::string &name : model::shape_names)
      print_row(name, figures_of([&](const Result &run) { return run.shape.name == name; }));
    static const char *const lengths[] = {"fewer than 8 a thread", "8 to 63", "64 or more"};
    static const double edges[] = {0, 50e3, 200e3, 1e6, 1e12};
    static const char *const times[] = {"< 50 us", "50..200 us", "0.2..1 ms", "> 1 ms"};
    for (int length = kFew; length <= kMany; length++)
      for (int i = 0; i < 4; i++)
        print_row(std::string(lengths[length]) + ", " + times[i],
                  figures_of([&](const Result &run) {
                    return run.length() == length && run.shape.bound >= edges[i] &&
                           run.shape.bound < edges[i + 1];
                  }));
    print_row("one longer than all the work",
              figures_of([](const Result &run) { return run.shape.one_decides; }));
  }
};

std::vector<Result> Shapes::runs;

// There are iterations enough to be dealt out, and time enough to pay for it: the cost of an
// iteration may change as it likes.
TEST_F(Shapes, LoopsOfManyIterations) {
  const Figures all = figures_of(
      [](const Result &run) { return run.length() == kMany && run.shape.bound >= 200e3; });
  EXPECT_LE(all.behind, 0.005);
  EXPECT_LE(all.over, 0.05);
  EXPECT_LE(all.worst, 1.4);
}

// Everything that the generator makes. Where iterations are few a schedule that takes them in order
// cannot keep to these limits, even one whose removals cost nothing; so it may do no worse than
// that by much.
TEST_F(Shapes, All) {
  const Figures all = figures_of([](const Result &) { return true; });
  EXPECT_LE(all.behind, all.list_behind + 0.015);
  EXPECT_LE(all.to_bound, 1.25);
  const Figures few = figures_of([](const Result &run) { return run.length() == kFew; });
  EXPECT_LE(few.behind, few.list_behind + 0.02);
  EXPECT_LE(few.over, few.list_over + 0.05);
}

// Iterations of one cost: nothing is lost to being careful.
TEST_F(Shapes, Even) {
  const Figures even = figures_of(
      [](const Result &run) { return run.shape.name == "even" && run.shape.bound >= 200e3; });
  EXPECT_LE(even.behind, 0);
  EXPECT_LE(even.to_bound, 1.06);
}

} // namespace
