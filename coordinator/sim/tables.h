// SPDX-License-Identifier: GPL-3.0-or-later
// The tables that compare what papers print with what the simulator finds.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace coord {

struct Figure {
  std::string id;    // "A2"
  std::string what;  // "HASS-S over default, AMD-2,2, HH1"
  std::string paper; // as the paper prints it; "-": it does not
  double ours = 0;
  std::string unit;                                        // "%"
  double least = -std::numeric_limits<double>::infinity(); // the band, in the same unit
  double most = std::numeric_limits<double>::infinity();
  std::string reason; // why it is outside; empty inside

  bool inside() const { return ours >= least && ours <= most; }
};

struct Table {
  const char *letter, *title;
  std::vector<Figure> (*compute)();
};

// The rows of tables.def.
std::span<const Table> tables();

// One table in Markdown: figure, paper, ours, band, and the reason for what is outside.
std::string markdown(const Table &table, std::span<const Figure> figures);

} // namespace coord
