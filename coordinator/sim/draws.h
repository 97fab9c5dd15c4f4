// SPDX-License-Identifier: GPL-3.0-or-later
// A figure for each draw of what no paper says.
#pragma once

#include <algorithm>
#include <iomanip>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

namespace coord {

struct Draws {
  std::vector<double> values;

  void operator+=(double value) { values.push_back(value); }
  double mean() const {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  }
  // " (4.1 to 5.2)"
  std::string range() const {
    const auto [least, most] = std::ranges::minmax(values);
    std::ostringstream text;
    text << std::setprecision(3) << " (" << least << " to " << most << ")";
    return text.str();
  }
};

} // namespace coord
