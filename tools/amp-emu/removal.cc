// SPDX-License-Identifier: GPL-3.0-or-later
// Lets two CPUs contend for a cache line in several short windows, and counts the additions.
#include "amp-emu/removal.h"

#include "common/pin.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <set>
#include <system_error>
#include <thread>
#include <vector>

namespace amp {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto window_length = std::chrono::microseconds(500);
constexpr std::size_t wanted_windows = 9, max_windows = 60;
constexpr int burst = 64; // additions between two readings of the clock
// Each thread makes at least this share of a window's additions if both had their CPUs all the
// time.
constexpr double least_share = 0.2;

// The data that the threads of one window share, each on a cache line of its own.
struct Shared {
  alignas(128) std::atomic<long> pool{0};
  alignas(128) std::atomic<std::size_t> ready{0};
  alignas(128) std::atomic<bool> over{false};
};

// One thread's part of a window.
struct Part {
  double additions = 0;
  double ns = 0;
  int error = 0;
};

// Adds to the pool. Starts when THREADS threads are ready, and ends when the first of them finds
// that the window is over.
void add(Shared &shared, std::size_t threads, int cpu, Part &part) {
  part.error = pin_to_cpu(cpu);
  shared.ready.fetch_add(1);
  while (shared.ready.load() < threads)
    ; // spins: a thread that slept would be late
  const auto begin = Clock::now();
  while (!shared.over.load(std::memory_order_relaxed)) {
    for (int i = 0; i < burst; ++i)
      shared.pool.fetch_add(1, std::memory_order_relaxed);
    part.additions += burst;
    if (Clock::now() - begin >= window_length)
      shared.over.store(true, std::memory_order_relaxed);
  }
  part.ns = std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

struct Window {
  double ns;    // per addition, of all threads
  double share; // of the additions, of the thread that made the fewest
};

Window contend(const std::set<int> &cpus) {
  Shared shared;
  std::vector<Part> parts(cpus.size());
  std::vector<std::thread> threads;
  for (const int cpu : cpus)
    threads.emplace_back(add, std::ref(shared), cpus.size(), cpu, std::ref(parts[threads.size()]));
  for (std::thread &thread : threads)
    thread.join();
  double additions = 0, ns = 0, fewest = parts.front().additions;
  for (const Part &part : parts) {
    if (part.error)
      throw std::system_error(part.error, std::generic_category(), "sched_setaffinity");
    additions += part.additions;
    ns = std::max(ns, part.ns);
    fewest = std::min(fewest, part.additions);
  }
  return {ns / additions, fewest / additions};
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

} // namespace

int measure_removal_ns(const CpuList &cpus) {
  const std::set<int> chosen = {cpus.front(), cpus.back()};
  // A window in which other load kept one of the two away had no contention.
  std::vector<double> all, good;
  while (good.size() < wanted_windows && all.size() < max_windows) {
    const Window window = contend(chosen);
    all.push_back(window.ns);
    if (window.share >= least_share)
      good.push_back(window.ns);
  }
  return std::max(1, static_cast<int>(std::lround(median(good.empty() ? all : good))));
}

} // namespace amp
