// SPDX-License-Identifier: GPL-3.0-or-later
// How programs slow each other down in shared caches, on the interconnect and in memory. This is
// what the contention-aware policy is tested against, and shares no formula with its model:
// programs compete for a cache by how often they miss and by how often they use what they have
// there, and requests queue.
#pragma once

#include "sim/scenario.h"

#include <array>
#include <map>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace coord {

// What the memory system sees of a program.
struct MemoryUse {
  // LLC misses per 4096 instructions in caches of 16 KiB, 32 KiB, ..., 16 MiB of its own: not
  // increasing, as in 004's signatures. The second is also the rate of accesses to the LLC.
  std::array<double, 11> misses{};
  double writes = 0;  // lines written back per line read, 0..1
  double scatter = 1; // time that memory is busy with one of its lines, of the best, >= 1
  std::vector<double> compute_ns; // per 4096 instructions that hit, by class

  // Between the sizes linear in the logarithm of BYTES.
  double misses_in(double bytes) const;
};

// A program that runs on CORE for SHARE of the time, 0..1.
struct MemoryUser {
  const MemoryUse *use;
  int core;
  double share = 1;
};

class MemorySystem {
public:
  // A request waits memory_ns * QUEUE * u / (1 - u) at utilisation u of the interconnect, and again
  // at that of memory. QUEUE 0: bandwidth has no bounds. KEPT: the part of its cache that a program
  // holds by its accesses, since lines that are used again stay; the rest goes by misses. MACHINE
  // outlives this object.
  explicit MemorySystem(const Machine &machine, double queue = 0.5, double kept = 0)
      : machine_(machine), queue_(queue), kept_(kept) {}

  struct Speed {
    double ns = 0;     // per 4096 instructions
    double misses = 0; // per 4096 instructions
  };
  // The steady state of USERS that run at the same time, in their order.
  std::vector<Speed> together(std::span<const MemoryUser> users) const;

private:
  double compute_ns(const MemoryUser &user) const {
    return user.use->compute_ns[machine_.cores[user.core].core_class];
  }
  double latency(std::span<const MemoryUser> users, std::span<const Speed> speeds) const;

  const Machine &machine_;
  double queue_, kept_;
};

// A MemorySystem as the truth of a simulation. Programs are known by their names; the others
// neither slow anyone down nor are slowed down.
class MemoryDilation final : public Dilation {
public:
  MemoryDilation(std::map<std::string, MemoryUse, std::less<>> uses, MemorySystem system)
      : system_(std::move(system)), uses_(std::move(uses)) {}
  void compute(const Machine &machine, std::span<const Running> running,
               std::span<double> factors) const override;

private:
  using Key = std::tuple<std::string_view, int, int, double>; // name, LLC, class, share

  MemorySystem system_;
  std::map<std::string, MemoryUse, std::less<>> uses_;
  mutable std::map<std::vector<Key>, std::vector<double>> known_;
};

// The truth if programs slow each other down in shared caches alone. Each has a MemoryUse.
class CacheDilation final : public Dilation {
public:
  // MACHINE outlives this object.
  CacheDilation(const Machine &machine, std::map<std::string, MemoryUse, std::less<>> uses,
                double kept);
  void compute(const Machine &machine, std::span<const Running> running,
               std::span<double> factors) const override;

private:
  using Key = std::tuple<std::string_view, int, double>; // name, class, share

  MemorySystem system_;
  std::map<std::string, MemoryUse, std::less<>> uses_;
  mutable std::map<std::vector<Key>, std::vector<double>> known_; // of the threads on one cache
};

// Misses in a cache of c bytes: a part that falls as a power of c, and a working set that fits or
// does not, with HOT misses. What no paper says of programs is drawn: all but the misses at 2 MiB.
// compute_ns is left empty.
struct CurveBounds {
  double power = 1, hot = 200; // from 0 to these
  double least_kib = 64, most_kib = 2048;
};
MemoryUse draw_memory_use(std::mt19937_64 &random, double misses_at_2mib,
                          const CurveBounds &bounds = {});

} // namespace coord
