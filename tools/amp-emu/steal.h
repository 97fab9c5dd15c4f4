// SPDX-License-Identifier: GPL-3.0-or-later
// Takes a share of the time of chosen CPUs away, in a duty cycle, so that what runs there is
// slowed.
#pragma once

#include "amp-emu/cpulist.h"
#include "amp-emu/rt-thread.h"

#include <atomic>
#include <deque>

namespace amp {

constexpr int probe_priority = 1; // calibration runs before normal threads,
constexpr int steal_priority = 2; // theft before both

// The part of a period for which a thief sleeps in any case, so that nothing ever starves.
constexpr double least_rest_share = 0.05;

// One stealing thread a CPU, from construction to destruction. They start with a duty of 0, that
// is, without stealing. Every PERIOD nanoseconds a thread wakes and keeps its CPU busy for
// duty * PERIOD.
class Thieves {
public:
  // Throws amp::Failure if the process may not have real-time threads.
  Thieves(const CpuList &cpus, Nanoseconds period);
  ~Thieves();

  // Sets the duty (0 to 1) of the INDEX-th CPU; in force from its next period on.
  void set_duty(std::size_t index, double duty);
  double duty(std::size_t index) const { return thieves_[index].duty; }

  // Suspends theft on all CPUs, or resumes it with the duties set; within resume_time.
  void pause(bool paused) { paused_ = paused; }
  static constexpr Nanoseconds resume_time = 5'000'000;

private:
  struct Thief {
    double duty = 0;
    std::atomic<Nanoseconds> busy{0}; // what the duty is of one period
  };
  void steal(const Thief &thief) const;

  const Nanoseconds period_;
  std::atomic<bool> paused_{false};
  std::atomic<bool> stop_{false};
  std::deque<Thief> thieves_; // deques, because neither can be moved
  std::deque<RtThread> threads_;
};

} // namespace amp
