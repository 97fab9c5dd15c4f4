// SPDX-License-Identifier: GPL-3.0-or-later
// What code that was compiled with -fsanitize=thread calls, handed to any that want it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace model {

// How an atomic operation changes a word.
enum class Update { kAdd, kSub, kAnd, kOr, kSet };

// Told of every access to memory; does those that are atomic. This one just does them.
class Watcher {
public:
  virtual ~Watcher() = default;
  virtual void plain(const void *address, bool write);
  virtual uint64_t load(const void *address, size_t size, int order);
  virtual void store(void *address, size_t size, uint64_t value, int order);
  // Returns what was there.
  virtual uint64_t update(void *address, size_t size, Update how, uint64_t value, int order);
  // Whether *expected was there; else it becomes what was.
  virtual bool exchange(void *address, size_t size, uint64_t *expected, uint64_t value, int order);
  // The code is about to read the clock.
  virtual void clock() {}
};

// Not null.
extern Watcher *watcher;

} // namespace model
