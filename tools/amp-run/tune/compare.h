// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a run printed what plain runs print.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace amp {

// Numbers of threads, which programs print: COUNT in a plain run is as good as OTHER in this one.
struct ThreadCounts {
  int count = 0, other = 0;
};

// Whether two lines are alike: numbers with a point or an exponent may differ by 1e-6 of their
// value, a number of threads may be the other one, all else is the same.
bool alike(std::string_view a, std::string_view b, ThreadCounts threads);

// One kind of output of all plain runs.
class Reference {
public:
  // TEXT is the output of a plain run.
  void add(const std::string &text);

  // Where TEXT differs from what plain runs print; nothing if nowhere. Lines that differ between
  // plain runs are left out. If only their order differs between plain runs, it does not count. If
  // plain runs print different numbers of lines, each line that all of them have must be there.
  std::optional<std::string> difference(const std::string &text, ThreadCounts threads) const;

private:
  std::vector<std::string> lines_; // of the first run
  std::vector<bool> varies_;       // which of these other runs do not have
  bool same_number_ = true;        // all runs have as many lines
  bool any_order_ = false;         // lines_ are sorted, as the runs' order differs
  bool any_ = false;
};

} // namespace amp
