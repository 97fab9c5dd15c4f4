// SPDX-License-Identifier: GPL-3.0-or-later
// HASS-D and the IPC-driven scheduler, sample by sample.
#include "core/coordinator.h"
#include "core/registry.h"

#include <gtest/gtest.h>

namespace coord {
namespace {

// Programs of one thread under a policy. A test says what each interval shows of them.
class Chip {
public:
  Chip(const char *machine, const char *policy, int programs)
      : machine_(parse_machine(machine)),
        coordinator_(machine_, clock_, make_policy(policy, machine_)) {
    for (int i = 0; i < programs; i++)
      apps_.push_back({i, "program", 1, false, 1, {}});
    for (const Application &app : apps_)
      coordinator_.arrive(app);
    coordinator_.decide();
  }
  int class_of(int app) const { return coordinator_.state().apps[app].threads[0].place.index; }
  // The next period: SHOW(app, sample) fills in what the sample counts.
  template <typename Show> void pass(Show show) {
    clock_.time += coordinator_.period();
    for (const Application &app : apps_) {
      const int c = class_of(app.id);
      int core = 0;
      while (machine_.cores[core].core_class != c)
        core++;
      Sample sample{{app.id, 0}, core, c, seconds(coordinator_.period()), 1e8, 0, false, {}};
      show(app.id, sample);
      coordinator_.sample(sample);
    }
    coordinator_.decide();
  }
  Time now() const { return clock_.time; }

private:
  Machine machine_;
  ManualClock clock_;
  Coordinator coordinator_;
  std::vector<Application> apps_;
};

// Two programs under HASS-D that show misses.
struct Misses : Chip {
  Misses() : Chip("1x2+1x1", "hass-d", 2) {}
  void interval(double first, double second) {
    pass([&](int app, Sample &sample) { sample.misses = app == 0 ? first : second; });
  }
  int fast() const { return class_of(0) == 1 ? 0 : 1; }
};

TEST(HassD, FollowsPhasesOnceTheyAreStable) {
  Misses chip;
  // Samples until it decides: one is discarded, one begins the average, two have to be stable.
  for (int i = 0; i < 5; i++)
    chip.interval(100, 0);
  EXPECT_EQ(chip.fast(), 1);
  // One strange sample is no phase.
  chip.interval(90, 0);
  EXPECT_EQ(chip.fast(), 1);
  // A change is a transition; the new factors count when the averages have settled.
  chip.interval(0, 100);
  EXPECT_EQ(chip.fast(), 1);
  for (int i = 0; i < 20; i++)
    chip.interval(0.001, 100);
  EXPECT_EQ(chip.fast(), 0);
}

// Of a program that hardly misses each miss more or less is a large part; its factor is the same.
TEST(HassD, SettlesWhereMissesAreFew) {
  Misses chip;
  for (int i = 0; i < 20; i++)
    chip.interval(i % 2 ? 0.01 : 0.3, 30);
  EXPECT_EQ(chip.fast(), 0);
  Misses other;
  for (int i = 0; i < 20; i++)
    other.interval(30, i % 2 ? 0.01 : 0.3);
  EXPECT_EQ(other.fast(), 1);
}

// Each step of a drift is below the threshold, all of them together are not.
TEST(HassD, FollowsADriftOfSmallSteps) {
  Misses chip;
  for (int i = 0; i < 8; i++)
    chip.interval(20, 40);
  EXPECT_EQ(chip.fast(), 0);
  double misses = 20;
  for (int i = 0; i < 40; i++) {
    misses *= 1.05;
    chip.interval(misses, 40);
  }
  for (int i = 0; i < 8; i++)
    chip.interval(misses, 40);
  EXPECT_EQ(chip.fast(), 1);
}

// Programs under ipc whose instructions per second are RATE by class.
using Rates = std::vector<double>;
void run(Chip &chip, const std::vector<Rates> &rates, double scale = 1) {
  chip.pass([&](int app, Sample &sample) {
    sample.instructions = sample.cpu_s * rates[app][sample.core_class] * (app == 0 ? scale : 1);
  });
}

// A thread of the class in the middle is measured on the fastest and on the slowest.
TEST(Ipc, MeasuresThreadsOfAllClassesAlike) {
  Chip chip("1x4+1x2+1x1", "ipc", 3);
  // The first is on the fastest class, and the second, that gains most by it, on the next one.
  ASSERT_EQ(chip.class_of(0), 2);
  ASSERT_EQ(chip.class_of(1), 1);
  const std::vector<Rates> rates = {{1e9, 1.2e9, 1.5e9}, {1e9, 2e9, 4e9}, {1e9, 1.1e9, 1.2e9}};
  std::vector<bool> seen(3);
  for (int i = 0; i < 100; i++) {
    run(chip, rates);
    seen[chip.class_of(1)] = true;
  }
  EXPECT_EQ(seen, std::vector<bool>(3, true));
  EXPECT_EQ(chip.class_of(1), 2);
  EXPECT_EQ(chip.class_of(0), 1);
  EXPECT_EQ(chip.class_of(2), 0);
}

// No thread is moved to be measured within 1.5 s of a swap, however long ago its measurement is.
TEST(Ipc, LeavesThreadsAloneAfterASwap) {
  Chip chip("1x2+1x1", "ipc", 2);
  std::vector<Rates> rates = {{1e9, 1.1e9}, {1e9, 1.9e9}};
  for (int i = 0; i < 300; i++)
    run(chip, rates);
  ASSERT_EQ(chip.class_of(0), 0);
  // Now the other one gains nothing by the fast core.
  rates[1] = {3e9, 3e9};
  Time swapped = 0;
  for (int i = 0; i < 100; i++) {
    run(chip, rates);
    if (swapped == 0 && chip.class_of(0) == 1)
      swapped = chip.now();
  }
  ASSERT_EQ(chip.class_of(0), 1);
  // Each change of its rate asks for a measurement.
  Time away = 0;
  for (int i = 0; i < 400 && away == 0; i++) {
    run(chip, rates, i % 10 < 5 ? 1 : 1.5);
    if (chip.class_of(0) == 0)
      away = chip.now();
  }
  EXPECT_GE(away - swapped, 1500 * kMillisecond);
}

} // namespace
} // namespace coord
