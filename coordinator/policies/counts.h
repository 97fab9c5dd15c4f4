// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers of cores by class, without an allocation on the heap.
#pragma once

#include <array>
#include <numeric>
#include <span>

namespace coord {

constexpr int kMaxClasses = 8;

// Cores of each class; class 0 is the slowest. Classes that a machine does not have are 0.
using Counts = std::array<int, kMaxClasses>;

inline int total(const Counts &counts) { return std::reduce(counts.begin(), counts.end()); }

// Calls F(n) for every n from 0 to MOST, the last class running fastest.
template <class F> void for_each_count(std::span<const int> most, F f) {
  Counts n{};
  for (;;) {
    f(n);
    int c = static_cast<int>(most.size()) - 1;
    while (c >= 0 && n[c] == most[c])
      n[c--] = 0;
    if (c < 0)
      return;
    n[c]++;
  }
}

} // namespace coord
