// SPDX-License-Identifier: GPL-3.0-or-later
// Which cores each application gets: pure functions from throughputs to allocations.
//
// All of them take the number of cores of each class, class 0 the slowest, and return what each
// application gets of them: no core twice, no application more cores than MOST. Among equal
// choices the first application and the fastest class win, so equal inputs have equal results.
#pragma once

#include "core/throughput.h"
#include "policies/counts.h"

#include <vector>

namespace coord {

struct Demand {
  const Throughput *p = nullptr;
  int most = 0;      // cores that it can use: its threads
  double weight = 1; // what its throughput counts, above 0
};
using Allocation = std::vector<Counts>;

// P of N cores of the first K classes.
inline double at(const Demand &demand, const Counts &n, std::size_t k) {
  return demand.p->at({n.data(), k});
}

// P of the MOST fastest of all CORES: what it would have alone.
double alone(std::span<const int> cores, const Demand &demand);

// The sum of weight * P(n).
double value(std::span<const int> cores, std::span<const Demand> demands,
             const Allocation &allocation);

// Paper 003's A-Greedy: the application that gains most from one more core of any class gets it.
// O(n K log T) for n cores of K classes and T applications. It gives all cores, also to
// applications that lose by them, as the paper does. Optimal if each P is a sum of concave
// functions of each class and no MOST binds.
Allocation a_greedy(std::span<const int> cores, std::span<const Demand> demands);

// The optimum if each P is a sum of concave functions of each class, whatever MOST: a
// transportation problem, solved by best augmenting paths in the graph of the classes. Of any other
// P, an allocation that no gift, move or swap of single cores improves (after at most four times
// as many steps as there are cores). O(n (K^2 log T + K^3)).
Allocation a_exact(std::span<const int> cores, std::span<const Demand> demands);

// The optimum for any P, by dynamic programming: O(T * product of (cores of class c + 1)^2).
// For tests and tables.
Allocation optimum(std::span<const int> cores, std::span<const Demand> demands);

// Each core in turn, fastest first, to the next application with less than MOST.
Allocation equi(std::span<const int> cores, std::span<const Demand> demands);

// The first step of MTS as paper 003 takes it: each core, fastest first, to the application with
// the highest throughput on one core of that class that has threads left.
Allocation mts_like(std::span<const int> cores, std::span<const Demand> demands);

// Each application's part of the capacity, by weight; then moves and swaps of single cores between
// two applications that raise the sum of their weight * P / P alone by more than GAIN and leave
// neither below FLOOR of P at its equal part. CAPACITY: of a core of each class.
Allocation share(std::span<const int> cores, std::span<const Demand> demands,
                 std::span<const double> capacity, double gain = 0.03, double floor = 0.85);

} // namespace coord
