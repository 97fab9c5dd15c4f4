// SPDX-License-Identifier: GPL-3.0-or-later
// What programs that ThreadSanitizer watches share: counts in plain memory, and work.
#pragma once

#include <gtest/gtest.h>

#include <vector>

// How often each task, or iteration, ran. Not atomic: its own count is written by that one alone.
class Marks {
public:
  explicit Marks(int size) : marks_(size) {}
  void mark(int i) { marks_[i]++; }
  void expect(int begin, int end, int times) const {
    for (int i = begin; i < end; i++)
      ASSERT_EQ(marks_[i], times) << "number " << i;
  }
  void expectOnce() const { expect(0, size(), 1); }
  void expectAtMostOnce(int begin, int end) const {
    for (int i = begin; i < end; i++)
      ASSERT_LE(marks_[i], 1) << "number " << i;
  }
  int size() const { return static_cast<int>(marks_.size()); }

private:
  std::vector<int> marks_;
};

// Work of about as many steps: of different lengths, so that threads overtake each other.
[[gnu::noinline]] inline unsigned work(unsigned steps) {
  unsigned value = steps;
  for (unsigned i = 0; i < steps; i++)
    asm volatile("" : "+r"(value));
  return value;
}
