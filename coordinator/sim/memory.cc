// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/memory.h"

#include <algorithm>
#include <cmath>

namespace coord {

namespace {

constexpr double kLine = 64, kSmallest = 16 << 10; // bytes
constexpr std::size_t kAccesses = 1;               // of MemoryUse::misses, those to the LLC

} // namespace

double MemoryUse::misses_in(double bytes) const {
  const double last = static_cast<double>(misses.size() - 1);
  const double at = std::clamp(std::log2(bytes / kSmallest), 0.0, last);
  const std::size_t below = std::min(static_cast<std::size_t>(at), misses.size() - 2);
  return std::lerp(misses[below], misses[below + 1], at - static_cast<double>(below));
}

// The latency at which users with these misses ask for as much as is served at that latency.
// Demand falls as latency rises, so there is exactly one.
double MemorySystem::latency(std::span<const MemoryUser> users,
                             std::span<const Speed> speeds) const {
  double low = machine_.memory_ns, high = low * 1e4;
  while (high > low * (1 + 1e-6)) {
    const double middle = std::sqrt(low * high);
    double bus = 0, memory = 0; // bytes/ns, those of memory weighted by scatter
    for (std::size_t i = 0; i < users.size(); i++) {
      const MemoryUse &use = *users[i].use;
      const double bytes = users[i].share * kLine * (1 + use.writes) * speeds[i].misses /
                           (compute_ns(users[i]) + speeds[i].misses * middle);
      bus += bytes;
      memory += bytes * use.scatter;
    }
    bus /= machine_.interconnect_gbps;
    memory /= machine_.memory_gbps;
    const double waits = bus / (1 - bus) + memory / (1 - memory);
    const bool more = bus >= 1 || memory >= 1 || machine_.memory_ns * (1 + queue_ * waits) > middle;
    (more ? low : high) = middle;
  }
  return high;
}

std::vector<MemorySystem::Speed> MemorySystem::together(std::span<const MemoryUser> users) const {
  const auto llc_of = [&](const MemoryUser &user) { return machine_.cores[user.core].llc; };
  // Of each program the part of its cache that it has while it runs, from the rates at which
  // programs miss. Those that take turns on its core do not run then.
  std::vector<double> part(users.size()), rate(users.size(), 1);
  std::vector<double> by_llc(machine_.llcs.size()), by_core(machine_.cores.size());
  const auto target = [&](std::size_t i) {
    return rate[i] / (by_llc[llc_of(users[i])] - by_core[users[i].core] + rate[i]);
  };
  const auto sum_up = [&] {
    std::ranges::fill(by_llc, 0);
    std::ranges::fill(by_core, 0);
    for (std::size_t i = 0; i < users.size(); i++) {
      by_llc[llc_of(users[i])] += users[i].share * rate[i];
      by_core[users[i].core] += users[i].share * rate[i];
    }
  };
  sum_up();
  for (std::size_t i = 0; i < users.size(); i++)
    part[i] = target(i);
  std::vector<Speed> speeds(users.size());
  double moved = 1;
  for (int round = 0; round < 100 && moved > 1e-4; round++) {
    for (std::size_t i = 0; i < users.size(); i++)
      speeds[i].misses = users[i].use->misses_in(part[i] * machine_.llcs[llc_of(users[i])].bytes);
    const double ns = latency(users, speeds);
    for (std::size_t i = 0; i < users.size(); i++) {
      speeds[i].ns = compute_ns(users[i]) + speeds[i].misses * ns;
      // A program that always hits keeps a little.
      const double claims =
          std::lerp(speeds[i].misses, users[i].use->misses[kAccesses], kept_) + 1e-3;
      rate[i] = claims / speeds[i].ns;
    }
    sum_up();
    moved = 0;
    for (std::size_t i = 0; i < users.size(); i++) {
      // By less than the whole way: parts would swing between two states.
      const double step = 0.4 * (target(i) - part[i]);
      part[i] += step;
      moved = std::max(moved, std::abs(step));
    }
  }
  return speeds;
}

void MemoryDilation::compute(const Machine &machine, std::span<const Running> running,
                             std::span<double> factors) const {
  std::vector<std::pair<Key, std::size_t>> order;
  for (std::size_t i = 0; i < running.size(); i++)
    if (const auto use = uses_.find(running[i].program->name); use != uses_.end()) {
      const Core &core = machine.cores[running[i].core];
      order.push_back({{use->first, core.llc, core.core_class, running[i].share}, i});
    }
  std::ranges::sort(order);
  std::vector<Key> key;
  std::vector<MemoryUser> users;
  for (const auto &[user, i] : order) {
    key.push_back(user);
    users.push_back({&uses_.find(std::get<0>(user))->second, running[i].core, running[i].share});
  }
  std::vector<double> &known = known_[key];
  if (known.empty()) {
    const std::vector<MemorySystem::Speed> speeds = system_.together(users);
    for (std::size_t i = 0; i < users.size(); i++) {
      const MemoryUser alone{users[i].use, users[i].core};
      known.push_back(std::max(1.0, speeds[i].ns / system_.together({&alone, 1})[0].ns));
    }
  }
  for (std::size_t i = 0; i < order.size(); i++)
    factors[order[i].second] = known[i];
}

} // namespace coord
