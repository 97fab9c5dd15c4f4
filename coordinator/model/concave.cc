// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/concave.h"
#include "policies/counts.h"

#include <cmath>

namespace coord {

namespace {

// Pools adjacent violators: the non-increasing increments nearest to those of F, which begins at 0.
void make_concave(std::vector<double> &f) {
  struct Block {
    double sum;
    int count;
  };
  std::vector<Block> blocks;
  for (std::size_t k = 1; k < f.size(); k++) {
    blocks.push_back({f[k] - f[k - 1], 1});
    while (blocks.size() > 1) {
      const Block last = blocks.back();
      Block &before = blocks[blocks.size() - 2];
      if (last.sum * before.count <= before.sum * last.count)
        break;
      before = {before.sum + last.sum, before.count + last.count};
      blocks.pop_back();
    }
  }
  std::size_t k = 1;
  for (const Block &block : blocks)
    for (int i = 0; i < block.count; i++, k++)
      f[k] = f[k - 1] + block.sum / block.count;
}

} // namespace

TableThroughput fit_concave(const TableThroughput &p) {
  const std::vector<int> &most = p.most();
  const std::size_t classes = most.size();
  std::vector<std::vector<double>> part(classes);
  for (std::size_t c = 0; c < classes; c++)
    part[c].assign(most[c] + 1, 0);
  // Fitting one class after the other converges; each round leaves less than
  // (1 - 1/(most + 1))^2 of the error.
  constexpr int kRounds = 200;
  for (int round = 0; round < kRounds; round++)
    for (std::size_t c = 0; c < classes; c++) {
      std::vector<double> sum(most[c] + 1);
      double count = 0; // entries for each number of cores of the class
      for_each_count(most, [&](const Counts &n) {
        double rest = p.at({n.data(), classes});
        for (std::size_t d = 0; d < classes; d++)
          if (d != c)
            rest -= part[d][n[d]];
        sum[n[c]] += rest;
        count += n[c] == 0;
      });
      for (int k = 1; k <= most[c]; k++)
        part[c][k] = sum[k] / count;
    }
  for (std::vector<double> &f : part)
    make_concave(f);
  std::vector<double> values;
  for_each_count(most, [&](const Counts &n) {
    double sum = 0;
    for (std::size_t c = 0; c < classes; c++)
      sum += part[c][n[c]];
    values.push_back(std::max(sum, 0.0));
  });
  return {most, std::move(values)};
}

} // namespace coord
