// SPDX-License-Identifier: GPL-3.0-or-later
// The duty cycle of a stealing thread.
#include "amp-emu/steal.h"

#include <algorithm>
#include <sys/mman.h>

namespace amp {

static void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

Thieves::Thieves(const CpuList &cpus, Nanoseconds period) : period_(period) {
  // A page fault would only make one theft longer, so it does not matter if this is not allowed.
  mlockall(MCL_CURRENT);
  for ([[maybe_unused]] const int cpu : cpus)
    thieves_.emplace_back();
  try {
    for (std::size_t i = 0; i < cpus.size(); ++i)
      threads_.emplace_back(cpus[i], steal_priority, [this, i] { steal(thieves_[i]); });
  } catch (...) {
    stop_ = true;
    throw;
  }
}

Thieves::~Thieves() { stop_ = true; }

void Thieves::set_duty(std::size_t index, double duty) {
  thieves_[index].duty = duty;
  thieves_[index].busy = static_cast<Nanoseconds>(duty * static_cast<double>(period_));
}

void Thieves::steal(const Thief &thief) const {
  const auto least_rest = static_cast<Nanoseconds>(least_rest_share * static_cast<double>(period_));
  Nanoseconds wake = now();
  while (!stop_.load(std::memory_order_relaxed)) {
    const Nanoseconds busy = paused_.load(std::memory_order_relaxed) ? 0 : thief.busy.load();
    wake += busy > 0 ? period_ : resume_time;
    sleep_until(wake);
    const Nanoseconds begin = now();
    // Woken late by more than a period, the thread was kept from its CPU together with what it
    // steals from (a hypervisor does that): nothing is owed for that time.
    if (begin - wake > period_)
      wake = begin;
    // Counted from the wake-up, not from when it was due: the share stolen is then the same
    // whatever the latency, which only shifts it.
    while (now() < begin + busy)
      relax();
    // Where waking takes longer than what is left of a period, the thread would never sleep.
    wake = std::max(wake, begin + busy + least_rest - period_);
  }
}

} // namespace amp
