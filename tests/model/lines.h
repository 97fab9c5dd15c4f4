// SPDX-License-Identifier: GPL-3.0-or-later
// The cache lines of a loop's state: how often threads access them, and how long that takes. Works
// on code that was compiled with -fsanitize=thread.
#pragma once

#include <vector>

#include "team.h"
#include "tsan.h"

namespace model {

// While it exists it watches the state of one team's loop.
class Lines : private Watcher {
public:
  // An access to a line that this thread's core has takes `held_ns`. Else the line comes from
  // another core, which takes `transfer_ns`, during which nobody else gets it.
  // Reading the clock takes `clock_ns`.
  explicit Lines(const Team &team, double held_ns = 6, double transfer_ns = 80,
                 double clock_ns = 25);
  ~Lines() override { watcher = before_; }

  // The thread that runs from now on, and at what time.
  void run(unsigned thread, double now) {
    thread_ = thread;
    now_ = now;
  }

  // The time after what the thread did.
  double now() const { return now_; }

  // Accesses to the lines that threads write during the loop, and how many of them are atomic.
  unsigned long accesses() const { return accesses_; }
  unsigned long atomic() const { return atomic_; }

private:
  struct Line {
    uint64_t sharers = 0; // a bit a thread
    double free = 0;
  };

  void touch(const void *address, bool write, bool atomic);
  void plain(const void *address, bool write) override;
  uint64_t load(const void *address, size_t size, int order) override;
  void store(void *address, size_t size, uint64_t value, int order) override;
  uint64_t update(void *address, size_t size, Update how, uint64_t value, int order) override;
  bool exchange(void *address, size_t size, uint64_t *expected, uint64_t value, int order) override;
  void clock() override;

  const char *const begin_, *const shared_, *const private_;
  const double held_ns_, transfer_ns_, clock_ns_;
  Watcher *const before_;
  std::vector<Line> lines_;
  unsigned thread_ = 0;
  double now_ = 0;
  unsigned long accesses_ = 0, atomic_ = 0;
};

} // namespace model
