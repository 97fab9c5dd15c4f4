// SPDX-License-Identifier: GPL-3.0-or-later
// Steals a share of the time of chosen CPUs, in a duty cycle, so that programs run slower there.
#pragma once

#include "amp-emu/rt-thread.h"
#include "common/cpulist.h"

#include <atomic>
#include <deque>

namespace amp {

constexpr int probe_priority = 1; // calibration runs before normal threads
constexpr int steal_priority = 2; // theft runs before both

// The part of a period for which a thief always sleeps, so that nothing starves.
constexpr double least_rest_share = 0.05;

// How a thread steals: every `period` it wakes and keeps its CPU busy for duty * period.
struct Cycle {
  double duty; // 0 to 1; at 0 it does not even wake
  Nanoseconds period;
};

// One stealing thread for each CPU, from construction to destruction.
class Thieves {
public:
  // All start with a duty of 0. Throws amp::Failure if the process may not have real-time threads.
  Thieves(const CpuList &cpus, Nanoseconds period);
  ~Thieves();

  // Sets the cycle of the INDEX-th CPU's thread. It takes effect at the thread's next period.
  void set(std::size_t index, Cycle cycle);
  Cycle cycle(std::size_t index) const { return thieves_[index].cycle; }

  // Suspends theft on all CPUs, or resumes it with the duties set. Takes effect within resume_time.
  void pause(bool paused) { paused_ = paused; }
  static constexpr Nanoseconds resume_time = 5'000'000;

private:
  struct Thief {
    Cycle cycle{};
    // The thread reads these. They need not change together: one theft of another length does no
    // harm.
    std::atomic<Nanoseconds> busy{0}, period{0};
  };
  void steal(const Thief &thief) const;

  std::atomic<bool> paused_{false};
  std::atomic<bool> stop_{false};
  std::deque<Thief> thieves_; // deques, because neither type can be moved
  std::deque<RtThread> threads_;
};

} // namespace amp
