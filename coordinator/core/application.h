// SPDX-License-Identifier: GPL-3.0-or-later
// An application as a policy sees it: its threads, and what is known of it before it runs.
#pragma once

#include "core/clock.h"
#include "core/throughput.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace coord {

using AppId = int; // never used twice

// A thread of an application: 0..threads-1.
struct ThreadId {
  AppId app = -1;
  int index = 0;
  auto operator<=>(const ThreadId &) const = default;
};

// Access rates of a program that runs alone, 10^6 accesses/s.
struct Pressure {
  double cache = 0, bus = 0, memory = 0;
};

// What the contention-aware policy knows of a program, by core class.
struct ContentionProfile {
  std::vector<Pressure> pressure;
  // Of the predicted slowdown in percent: own cache, own bus, own memory, others' bus, others'
  // memory, constant.
  std::vector<std::array<double, 6>> coefficients;
};

// What is known offline. Empty and null members are not known.
struct Profile {
  std::vector<double> factors;  // SF by class; factors[0] = 1
  std::optional<double> misses; // LLC misses per 4096 instructions
  std::shared_ptr<const Throughput> throughput;
  std::shared_ptr<const ContentionProfile> contention;
};

struct Application {
  AppId id = -1;
  std::string name;
  int threads = 1;        // the most cores that it can use
  bool malleable = false; // runs on any number of cores 1..threads, and can be granted some
  double weight = 1;
  Profile profile;
};

} // namespace coord
