// SPDX-License-Identifier: GPL-3.0-or-later
// The one file that includes Eigen. A daemon does not need it: it is handed the weights.
#include "model/contention.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <vector>

namespace coord {

SlowdownWeights fit_slowdown(std::span<const Corun> runs) {
  std::vector<std::array<double, 7>> rows;
  for (const Corun &run : runs) {
    const std::array row = {run.own.cache,     run.own.bus, run.own.memory, run.others.bus,
                            run.others.memory, 1.0,         run.slowdown};
    if (std::ranges::all_of(row, [](double value) { return std::isfinite(value); }))
      rows.push_back(row);
  }
  SlowdownWeights weights{};
  if (rows.empty())
    return weights;
  Eigen::MatrixXd rates(rows.size(), 6);
  Eigen::VectorXd slowdowns(rows.size());
  for (std::size_t i = 0; i < rows.size(); i++) {
    for (int j = 0; j < 6; j++)
      rates(i, j) = rows[i][j];
    slowdowns(i) = rows[i][6];
  }
  Eigen::Map<Eigen::Vector<double, 6>>(weights.data()) =
      rates.completeOrthogonalDecomposition().solve(slowdowns);
  return weights;
}

} // namespace coord
