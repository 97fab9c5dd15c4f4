// SPDX-License-Identifier: GPL-3.0-or-later
// HASS-D, sample by sample.
#include "core/coordinator.h"
#include "core/registry.h"

#include <gtest/gtest.h>

namespace coord {
namespace {

struct Stopped final : Clock {
  Time now() const override { return 0; }
};

TEST(HassD, FollowsPhasesOnceTheyAreStable) {
  const Machine machine = parse_machine("1x2+1x1");
  const Stopped clock;
  Coordinator coordinator(machine, clock, make_policy("hass-d", machine));
  const Application apps[] = {{0, "a", 1, false, 1, {}}, {1, "b", 1, false, 1, {}}};
  for (const Application &app : apps)
    coordinator.arrive(app);
  coordinator.decide();
  const auto fast = [&] {
    return coordinator.state().apps[0].threads[0].place == Place{Place::OfClass, 1} ? 0 : 1;
  };
  const auto interval = [&](double first, double second) {
    const double misses[] = {first, second};
    for (int app = 0; app < 2; app++) {
      const int core_class = fast() == app;
      const int core = machine.cores[0].core_class == core_class ? 0 : 1;
      coordinator.sample({{app, 0}, core, core_class, 0.2, 1e8, misses[app], false, {}});
    }
    coordinator.decide();
  };
  // Samples until it decides: one is discarded, one begins the average, two have to be stable.
  for (int i = 0; i < 5; i++)
    interval(100, 0);
  EXPECT_EQ(fast(), 1);
  // One strange sample is no phase.
  interval(90, 0);
  EXPECT_EQ(fast(), 1);
  // A change is a transition; the new factors count when the averages have settled.
  interval(0, 100);
  EXPECT_EQ(fast(), 1);
  for (int i = 0; i < 20; i++)
    interval(0.001, 100);
  EXPECT_EQ(fast(), 0);
}

} // namespace
} // namespace coord
