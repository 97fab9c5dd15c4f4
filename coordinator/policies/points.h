// SPDX-License-Identifier: GPL-3.0-or-later
// HARP's choice among operating points: one for each application, by Lagrangian relaxation.
//
// Source: the algorithm as E-Mapper (arXiv 2406.18980) describes it: a Pareto filter, a
// multiple-choice knapsack with a multiplier for each core class, a greedy fit. No code of it.
#pragma once

#include "policies/allocate.h"

namespace coord {

struct OperatingPoint {
  Counts cores{};
  double rate = 0;  // runs (or any work) per second, > 0
  double watts = 0; // >= 0
};

enum class Objective { Time, Energy, EnergyDelay };

// A choice of cores and what it costs. Costs of applications are added up.
struct Choice {
  Counts cores{};
  double cost = 0;
};
using Choices = std::vector<Choice>;

// POINTS as choices. Cost is, for Time, minus the rate over ALONE, the rate on all cores; else the
// energy of a run, or that times its time, over the least one of POINTS.
Choices price(std::span<const OperatingPoint> points, Objective objective, double alone);

// CHOICES less those that another one is as cheap as, with no more cores of any class.
Choices pareto(const Choices &choices);

// For each application the index of its choice; -1: it waits, for nothing fits. Every choice has
// cores. As long as there are cores for all, none is left out for another one's sake, if each can
// use any single core.
std::vector<int> choose(std::span<const int> cores, std::span<const Choices> apps);

// The choices with the lowest sum of costs, by trying all; empty if nothing fits. For tests and
// tables.
std::vector<int> choose_by_trying(std::span<const int> cores, std::span<const Choices> apps);

} // namespace coord
