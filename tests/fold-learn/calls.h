// SPDX-License-Identifier: GPL-3.0-or-later
// Simulated regions whose ids are called, run by fold-take.c and dealt by fold-shares.c.
#pragma once

#include <cstddef>
#include <functional>
#include <random>
#include <string>

#include "draw.h"

namespace calls {

using learn::Times;

// One run of a region.
struct Run {
  Times work;  // of each id, in nanoseconds of a core of speed 1
  Times speed; // of each worker
};

// What a region costs beside its work, in nanoseconds.
constexpr double take_ns = 15, timed_ns = 25, steal_ns = 100; // for each id
constexpr double look_again_ns = 300;                         // of a worker that leaves ids
constexpr double deal_ns = 100, ring_ns = 3000;               // of the initial thread
constexpr double wake_ns = 500;                               // of a worker that spins
constexpr double asleep_ns = 15000;                           // of one that sleeps
constexpr double arrive_ns = 500;                             // from the last id to the end
constexpr double spin_ns = 50000; // after that a worker sleeps
constexpr double turn_ns = 2000;  // from an id that takes turns to the next one

struct Case {
  std::string costs, machine, known, change;
  double region_ns = 0; // of static on all cores, were they all of the slowest class
  double gap_ns = 0;    // from a run to the next one
  size_t ids = 0, runs = 0;
  Times believed; // the speeds that the library was told
  std::function<Run(size_t, std::mt19937_64 &)> run;
};

struct Outcome {
  // The least time that all runs can take with whole ids, by `bound`, over that which they took:
  // of all, and in the last third.
  double share = 0, share_at_end = 0;
  // The time of static, with the same number of ids on each core, over that which they took.
  double over_static = 0;
  // The same of the best of static, the fast cores only, and the initial thread alone.
  double over_best = 0;
};

Case random_case(std::mt19937_64 &random);

Outcome play(const Case &program, std::mt19937_64 &random);

// No schedule of whole ids on workers of these speeds, of which each begins at `begin`, ends before
// this: the workers need the time for all of the work, those that can do most for the heaviest ids,
// one each, and enough of them for as many ids as there are of each weight or more.
double bound(const Run &run, const Times &begin);

} // namespace calls
