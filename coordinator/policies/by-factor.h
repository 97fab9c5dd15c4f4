// SPDX-License-Identifier: GPL-3.0-or-later
// The swaps of HASS-D and of the IPC-driven scheduler: no thread on a faster class has a lower
// factor than one on a slower class, and the classes' loads stay balanced.
#pragma once

#include "policies/threads.h"

#include <optional>

namespace coord {

class ByFactor {
public:
  explicit ByFactor(const Machine &machine) : machine_(machine) {}

  // Starts a round: the threads of STATE with a class.
  void begin(const State &state);
  // A thread that takes part in swaps, with its speedup on the fastest class.
  void add(const ThreadState &thread, double factor);
  // THREAD's factor is new: swaps it with the thread that is most out of order with it, if there is
  // one.
  void swap(ThreadId thread, Decisions &decisions);
  // Fills idle cores of faster classes with the best threads of slower ones, and takes the worst
  // from classes that have more threads than cores while a slower one has idle cores.
  void rebalance(Decisions &decisions);

  Partitions &partitions() { return *partitions_; }

private:
  struct Entity {
    ThreadId id;
    int core_class;
    double factor;
  };
  void put(Entity &entity, int c, Decisions &decisions);
  // Of class C the thread with the highest (lowest) factor; null if it has none.
  Entity *extreme(int c, bool highest);

  const Machine &machine_;
  std::optional<Partitions> partitions_;
  std::vector<Entity> entities_;
};

} // namespace coord
