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
  if (queue_ == 0)
    return machine_.memory_ns;
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

CacheDilation::CacheDilation(const Machine &machine,
                             std::map<std::string, MemoryUse, std::less<>> uses, double kept)
    : system_(machine, 0, kept), uses_(std::move(uses)) {}

void CacheDilation::compute(const Machine &machine, std::span<const Running> running,
                            std::span<double> factors) const {
  std::vector<std::vector<std::pair<Key, std::size_t>>> by_llc(machine.llcs.size());
  for (std::size_t i = 0; i < running.size(); i++) {
    const Core &core = machine.cores[running[i].core];
    const std::string &name = uses_.find(running[i].program->name)->first;
    by_llc[core.llc].push_back({{name, core.core_class, running[i].share}, i});
  }
  std::vector<Key> key;
  for (auto &threads : by_llc) {
    std::ranges::sort(threads);
    key.clear();
    for (const auto &[user, i] : threads)
      key.push_back(user);
    std::vector<double> &known = known_[key];
    if (known.empty() && !threads.empty()) {
      std::vector<MemoryUser> users;
      for (const auto &[user, i] : threads)
        users.push_back(
            {&uses_.find(std::get<0>(user))->second, running[i].core, running[i].share});
      const std::vector<MemorySystem::Speed> speeds = system_.together(users);
      for (std::size_t u = 0; u < users.size(); u++) {
        const MemoryUser alone{users[u].use, users[u].core};
        known.push_back(std::max(1.0, speeds[u].ns / system_.together({&alone, 1})[0].ns));
      }
    }
    for (std::size_t u = 0; u < threads.size(); u++)
      factors[threads[u].second] = known[u];
  }
}

MemoryUse draw_memory_use(std::mt19937_64 &random, double misses_at_2mib,
                          const CurveBounds &bounds) {
  const auto uniform = [&](double least, double most) {
    return std::uniform_real_distribution(least, most)(random);
  };
  MemoryUse use;
  const double power = uniform(0, bounds.power), hot = uniform(0, bounds.hot);
  const double set_kib =
      std::exp2(uniform(std::log2(bounds.least_kib), std::log2(bounds.most_kib)));
  for (std::size_t i = 0; i < use.misses.size(); i++) {
    const double kib = std::exp2(4.0 + static_cast<double>(i));
    use.misses[i] = std::min(400.0, misses_at_2mib * std::pow(kib / 2048, -power)) +
                    hot * std::max(0.0, 1 - kib / set_kib);
  }
  use.writes = uniform(0, 0.6);
  use.scatter = uniform(1, 2);
  return use;
}

} // namespace coord
