// SPDX-License-Identifier: GPL-3.0-or-later
// Calibrates theft by feedback from measured throughput.
#include "amp-emu/calibrate.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace amp {

namespace {

constexpr Nanoseconds millisecond = 1'000'000;

// Time without real-time load between two windows, so that normal threads never starve and the
// kernel does not throttle real-time threads during the measurement.
constexpr Nanoseconds gap = 15 * millisecond;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2)
    return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// About half a microsecond of dependent arithmetic that touches no memory.
void compute(std::uint64_t &value) {
  for (int i = 0; i < 400; ++i) {
    value = value * 6364136223846793005u + 1442695040888963407u;
    asm volatile("" : "+r"(value)); // so that the compiler does not fold the loop
  }
}

// Runs compute() on all CPUS at the same time for a window. Returns calls per nanosecond, in the
// order of CPUS.
std::vector<double> speeds(const CpuList &cpus) {
  std::vector<double> result(cpus.size());
  const Nanoseconds begin =
      now() + 5 * millisecond + static_cast<Nanoseconds>(cpus.size()) * millisecond / 10;
  std::deque<RtThread> probes;
  for (std::size_t i = 0; i < cpus.size(); ++i)
    probes.emplace_back(cpus[i], probe_priority, [begin, &speed = result[i]] {
      sleep_until(begin);
      std::uint64_t value = 1;
      std::int64_t count = 0;
      const Nanoseconds first = now();
      Nanoseconds last;
      do {
        compute(value);
        ++count;
        last = now();
      } while (last - first < window_ms * millisecond);
      speed = static_cast<double>(count) / static_cast<double>(last - first);
    });
  probes.clear(); // waits for them
  return result;
}

// The largest relative difference from the factor asked for.
double worst(const std::vector<Slowed> &cpus) {
  double result = 0;
  for (const Slowed &cpu : cpus)
    result = std::max(result, std::abs(cpu.reached / cpu.asked - 1));
  return result;
}

} // namespace

bool is_near(const Slowed &cpu, double within) {
  return std::abs(cpu.reached / cpu.asked - 1) <= within;
}

Cycle next_cycle(Cycle cycle, double measured, double natural, double asked, double maximum) {
  // speed = 1 / factor = (1 - duty - waking) / natural. The time of waking does not depend on the
  // period; in short periods it is a tenth of the period and more.
  const double wanted = 1 - natural / asked;
  double waking = cycle.duty > 0 ? 1 - natural / measured - cycle.duty : 0;
  if (wanted <= 0)
    return {0, cycle.period};
  constexpr double too_much = 0.75, enough = 0.5; // of the share to steal
  if (waking > too_much * wanted && cycle.period < longest_period) {
    const auto period = static_cast<double>(cycle.period);
    const double longer =
        std::min(period * waking / (enough * wanted), static_cast<double>(longest_period));
    waking *= period / longer;
    cycle.period = static_cast<Nanoseconds>(longer);
  }
  // With a duty of 0 the thief would not wake, and the CPU would not be slowed at all.
  constexpr double least_duty = 0.002;
  return {std::clamp(wanted - waking, least_duty, maximum), cycle.period};
}

void measure(Thieves &thieves, std::vector<Slowed> &cpus, const CpuList &reference, int count) {
  CpuList all = reference;
  for (const Slowed &cpu : cpus)
    all.push_back(cpu.cpu);
  const auto first = static_cast<std::ptrdiff_t>(reference.size());
  std::vector<std::vector<double>> factors(cpus.size());
  for (int window = 0; window < count; ++window) {
    thieves.pause(true);
    sleep_until(now() + gap);
    double fast = reference.empty() ? median(speeds(all)) : 0;
    thieves.pause(false);
    sleep_until(now() + Thieves::resume_time);
    const std::vector<double> speed = speeds(all);
    if (!reference.empty())
      fast = median({speed.begin(), speed.begin() + first});
    for (std::size_t i = 0; i < cpus.size(); ++i)
      factors[i].push_back(fast / speed[reference.size() + i]);
  }
  for (std::size_t i = 0; i < cpus.size(); ++i)
    cpus[i].reached = median(factors[i]);
}

int calibrate(Thieves &thieves, std::vector<Slowed> &cpus, const CpuList &reference, double maximum,
              int attempts) {
  constexpr int rounds = 4, round_windows = 3;
  const std::size_t count = cpus.size();
  for (std::size_t i = 0; i < count; ++i)
    thieves.set(i, {0, thieves.cycle(i).period});
  measure(thieves, cpus, reference, round_windows);
  const std::vector<Slowed> natural = cpus;
  const auto adjust = [&] {
    for (std::size_t i = 0; i < count; ++i)
      thieves.set(i, next_cycle(thieves.cycle(i), cpus[i].reached, natural[i].reached,
                                cpus[i].asked, maximum));
  };
  std::vector<Slowed> best = cpus;
  std::vector<Cycle> cycles(count);
  int attempt = 0;
  do {
    for (int round = 0; round < rounds && (round == 0 || worst(cpus) > aim / 2); ++round) {
      adjust();
      measure(thieves, cpus, reference, round_windows);
    }
    // The reported figure comes from windows of its own: those that ended the search were chosen
    // because they were near.
    measure(thieves, cpus, reference, window_count);
    if (attempt++ == 0 || worst(cpus) < worst(best)) {
      best = cpus;
      for (std::size_t i = 0; i < count; ++i)
        cycles[i] = thieves.cycle(i);
    }
  } while (worst(best) > aim && attempt < attempts);
  cpus = best;
  for (std::size_t i = 0; i < count; ++i)
    thieves.set(i, cycles[i]);
  return attempt;
}

} // namespace amp
