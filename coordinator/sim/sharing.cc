// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/sharing.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace coord {

double Sharing::Row::median() const {
  std::vector<double> sorted = losses;
  std::ranges::sort(sorted);
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

const Sharing::Row &Sharing::of(const std::string &library, const std::string &program) const {
  for (const Row &row : rows)
    if (row.library == library && row.program == program)
      return row;
  throw std::out_of_range("sharing.tsv has no rounds of " + program + " with " + library);
}

Sharing read_sharing(std::istream &file, const std::string &name) {
  Sharing sharing;
  std::string line;
  for (int number = 1; std::getline(file, line); number++) {
    if (line.starts_with("# interim"))
      sharing.interim = true;
    if (line.empty() || line[0] == '#')
      continue;
    std::istringstream fields(line);
    std::string library, program, rest;
    int round = 0;
    double alone = 0, together = 0;
    if (!(fields >> library >> program >> round >> alone >> together) || fields >> rest ||
        !(alone > 0 && together > 0))
      throw std::invalid_argument(name + ":" + std::to_string(number) + ": '" + line +
                                  "': expected library, program, round and two positive times");
    auto row = std::ranges::find_if(sharing.rows, [&](const Sharing::Row &each) {
      return each.library == library && each.program == program;
    });
    if (row == sharing.rows.end())
      row = sharing.rows.insert(row, {library, program, {}});
    row->losses.push_back(together / alone - 1);
  }
  return sharing;
}

} // namespace coord
