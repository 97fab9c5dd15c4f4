// SPDX-License-Identifier: GPL-3.0-or-later
// The slowdown of programs that run at the same time, in percent of the time that each would take
// alone on its core.
#pragma once

#include "core/application.h"
#include "core/machine.h"

#include <array>
#include <span>

namespace coord {

// A thread of APP on CORE.
struct Resident {
  const Application *app;
  int core;
};

class SlowdownModel {
public:
  virtual ~SlowdownModel() = default;
  // Sets PERCENT[i] of RESIDENTS[i], finite and >= 0 whatever is known of them; 0 if nothing is.
  virtual void predict(const Machine &machine, std::span<const Resident> residents,
                       std::span<double> percent) const = 0;
};

// The weights of own cache, own bus, own memory, others' bus, others' memory, and a constant.
using SlowdownWeights = std::array<double, 6>;

// Paper 002, equations 1 to 4, not clamped. OWN is the sum of the access rates of all programs
// that share the program's last-level cache, its own included; OTHERS that of the rest of the chip.
double weighted_slowdown(const SlowdownWeights &weights, const Pressure &own,
                         const Pressure &others);

// Predicts by the Profile::contention of applications.
class PressureModel final : public SlowdownModel {
public:
  void predict(const Machine &machine, std::span<const Resident> residents,
               std::span<double> percent) const override;
};

// One run of a program beside others.
struct Corun {
  Pressure own, others; // as above
  double slowdown = 0;  // measured, percent
};

// The weights of least squared error. Runs that are not finite are ignored. With fewer runs than
// weights, or runs that are alike, the solution of least norm.
SlowdownWeights fit_slowdown(std::span<const Corun> runs);

Pressure &operator+=(Pressure &sum, const Pressure &added);

// PERCENT as a prediction: 0 to kMostSlowdown; 0 if it is no number.
double clamp_slowdown(double percent);

constexpr double kMostSlowdown = 1e5; // percent: 1000 times as slow

} // namespace coord
