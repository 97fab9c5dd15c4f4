// SPDX-License-Identifier: GPL-3.0-or-later
// Operating points on file: how fast a program is, and what energy it takes, on cores by class.
#pragma once

#include "core/throughput.h"
#include "policies/counts.h"

#include <istream>
#include <string>
#include <vector>

namespace coord {

// A program's measurements on 0..most[c] cores of each class c.
class MeasuredProgram {
public:
  struct Point {
    Counts cores{};
    double seconds = 0, joules = 0;
  };

  MeasuredProgram(std::string name, std::vector<int> most, std::vector<Point> points);

  const std::string &name() const { return name_; }
  const std::vector<Point> &points() const { return points_; } // as measured
  // On N cores. If these were not measured: on the fastest that were, within them, the others being
  // idle. Null if there are none.
  const Point *at(const Counts &n) const;
  const Point &alone() const; // on all cores
  // In the order of TableThroughput.
  const std::vector<bool> &measured() const { return measured_; }
  TableThroughput throughput() const; // runs per second

private:
  std::size_t index(const Counts &n) const;

  std::string name_;
  std::vector<int> most_;
  std::vector<Point> points_;
  std::vector<bool> measured_;
  std::vector<int> nearest_; // of each entry of the table, the point; -1: none
};

// Reads a table of tab-separated columns, described by a line
//   # columns: program CLASS... seconds [joules]
// with the fastest class first; other lines that begin with # are comments. Throws
// std::invalid_argument with NAME, the line, what is wrong and what is expected.
std::vector<MeasuredProgram> read_points(std::istream &file, const std::string &name);

} // namespace coord
