// SPDX-License-Identifier: GPL-3.0-or-later
// Calibrates theft by feedback from measured throughput.
#include "amp-emu/calibrate.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace amp {

namespace {

constexpr Nanoseconds millisecond = 1'000'000;

// Time between two windows without real-time load, so that normal threads are never starved and
// the kernel's throttling of real-time threads stays out of the measurement.
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
    asm volatile("" : "+r"(value)); // else the compiler would fold the loop
  }
}

// Runs the kernel on every one of CPUS at once for a window; returns kernels per nanosecond, in
// the order of CPUS.
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

bool all_near(const std::vector<Slowed> &cpus, double within) {
  return std::all_of(cpus.begin(), cpus.end(),
                     [within](const Slowed &cpu) { return is_near(cpu, within); });
}

} // namespace

bool is_near(const Slowed &cpu, double within) {
  return std::abs(cpu.reached / cpu.asked - 1) <= within;
}

double next_duty(double duty, double measured, double natural, double asked, double maximum) {
  // speed = 1 / factor = (1 - duty - what waking up costs) / natural, and that cost, which may be
  // a tenth of the period, is the same for both duties.
  return std::clamp(duty + natural * (1 / measured - 1 / asked), 0.0, maximum);
}

void measure(Thieves &thieves, std::vector<Slowed> &cpus, const CpuList &reference, int count) {
  CpuList all = reference;
  for (const Slowed &cpu : cpus)
    all.push_back(cpu.cpu);
  std::vector<std::vector<double>> factors(cpus.size());
  for (int window = 0; window < count; ++window) {
    thieves.pause(false);
    sleep_until(now() + Thieves::resume_time);
    const std::vector<double> speed = speeds(all);
    const auto slowed = speed.begin() + static_cast<std::ptrdiff_t>(reference.size());
    const double fast = median({speed.begin(), slowed});
    for (std::size_t i = 0; i < cpus.size(); ++i)
      factors[i].push_back(fast / slowed[static_cast<std::ptrdiff_t>(i)]);
    thieves.pause(true);
    sleep_until(now() + gap);
  }
  thieves.pause(false);
  for (std::size_t i = 0; i < cpus.size(); ++i)
    cpus[i].reached = median(factors[i]);
}

void calibrate(Thieves &thieves, std::vector<Slowed> &cpus, const CpuList &reference,
               double maximum) {
  constexpr int attempts = 3, rounds = 4, round_windows = 3;
  for (std::size_t i = 0; i < cpus.size(); ++i)
    thieves.set_duty(i, 0);
  measure(thieves, cpus, reference, round_windows);
  const std::vector<Slowed> natural = cpus;
  const auto adjust = [&] {
    for (std::size_t i = 0; i < cpus.size(); ++i)
      thieves.set_duty(i, next_duty(thieves.duty(i), cpus[i].reached, natural[i].reached,
                                    cpus[i].asked, maximum));
  };
  for (int attempt = 0; attempt < attempts; ++attempt) {
    for (int round = 0; round < rounds && !all_near(cpus, tolerance / 4); ++round) {
      adjust();
      measure(thieves, cpus, reference, round_windows);
    }
    // The figure to report comes from windows of its own: those that ended the search were
    // chosen for being near.
    measure(thieves, cpus, reference, window_count);
    if (all_near(cpus, tolerance))
      return;
  }
}

} // namespace amp
