// SPDX-License-Identifier: GPL-3.0-or-later
// The tables that compare what papers print with what the simulator finds.
#pragma once

#include "sim/draws.h"

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace coord {

// A bound that no figure breaks.
inline constexpr double kAny = std::numeric_limits<double>::infinity();

struct Figure {
  std::string id;    // "A2"
  std::string what;  // "HASS-S over default, AMD-2,2, HH1"
  std::string paper; // as the paper prints it; "-": it does not
  double ours = 0;
  std::string unit;     // "%"
  double least = -kAny; // the band, in the same unit
  double most = kAny;
  std::string reason; // why it is outside; empty inside

  bool inside() const { return ours >= least && ours <= most; }
  bool has_band() const { return least > -kAny || most < kAny; }
};

// The rows of a table while it is made.
class FigureRows {
protected:
  // REASON is for a figure outside its band.
  void add(const char *id, const std::string &what, const char *paper, double ours,
           const char *unit, double least = -kAny, double most = kAny,
           const std::string &reason = "") {
    Figure figure{id, what, paper, ours, unit, least, most, ""};
    if (!figure.inside())
      figure.reason = reason;
    found.push_back(figure);
  }
  // The mean of draws, with their range.
  void add(const char *id, const std::string &what, const char *paper, const Draws &ours,
           const char *unit, double least = -kAny, double most = kAny,
           const std::string &reason = "") {
    add(id, what + ours.range(), paper, ours.mean(), unit, least, most, reason);
  }

  std::vector<Figure> found;
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
