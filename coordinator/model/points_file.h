// SPDX-License-Identifier: GPL-3.0-or-later
// Operating points on file: how long a program takes on cores by class.
#pragma once

#include "core/throughput.h"

#include <istream>
#include <string>
#include <vector>

namespace coord {

struct MeasuredProgram {
  std::string name;
  TableThroughput throughput; // runs per second
};

// Reads a table of columns, described by a line
//   # columns: program CLASS... seconds
// with the fastest class first, a row for each number of cores of each class; other lines that
// begin with # are comments. Throws std::invalid_argument with NAME, the line, what is wrong and
// what is expected.
std::vector<MeasuredProgram> read_points(std::istream &file, const std::string &name);

} // namespace coord
