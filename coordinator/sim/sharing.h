// SPDX-License-Identifier: GPL-3.0-or-later
// coordinator/profiles/sharing.tsv: what programs lose to each other when each has a thread on each
// CPU.
#pragma once

#include <istream>
#include <string>
#include <vector>

namespace coord {

struct Sharing {
  struct Row {
    std::string library, program;
    std::vector<double> losses; // of each round: time at once over time one after the other, less 1

    double median() const;
  };
  std::vector<Row> rows;
  bool interim = false; // not measured on a quiet machine

  // Throws std::out_of_range if it was not measured.
  const Row &of(const std::string &library, const std::string &program) const;
};

// Reads what measure-sharing writes. Throws std::invalid_argument with NAME, the line, and what is
// expected.
Sharing read_sharing(std::istream &file, const std::string &name);

} // namespace coord
