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

Thieves::Thieves(const CpuList &cpus, Nanoseconds period) {
  // A page fault only makes one theft longer, so it does not matter if this is not allowed.
  mlockall(MCL_CURRENT);
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    thieves_.emplace_back();
    set(i, {0, period});
  }
  try {
    for (std::size_t i = 0; i < cpus.size(); ++i)
      threads_.emplace_back(cpus[i], steal_priority, [this, i] { steal(thieves_[i]); });
  } catch (...) {
    stop_ = true;
    throw;
  }
}

Thieves::~Thieves() { stop_ = true; }

void Thieves::set(std::size_t index, Cycle cycle) {
  Thief &thief = thieves_[index];
  thief.cycle = cycle;
  thief.period = cycle.period;
  thief.busy = static_cast<Nanoseconds>(cycle.duty * static_cast<double>(cycle.period));
}

void Thieves::steal(const Thief &thief) const {
  Nanoseconds wake = now();
  while (!stop_.load(std::memory_order_relaxed)) {
    const Nanoseconds busy = paused_.load(std::memory_order_relaxed) ? 0 : thief.busy.load();
    const Nanoseconds period = busy > 0 ? thief.period.load() : resume_time;
    wake += period;
    sleep_until(wake);
    const Nanoseconds begin = now();
    // If the thread wakes late by more than a period, a hypervisor, for example, kept both the
    // thread and the programs that it steals from off the CPU. Nothing is stolen for that time.
    if (begin - wake > period)
      wake = begin;
    // Counted from the wake-up, not from the time when it was due: the latency then only shifts the
    // theft, and the stolen share stays the same.
    while (now() < begin + busy)
      relax();
    // If waking took longer than the rest of a period, the thread would never sleep.
    const auto least_rest =
        static_cast<Nanoseconds>(least_rest_share * static_cast<double>(period));
    wake = std::max(wake, begin + busy + least_rest - period);
  }
}

} // namespace amp
