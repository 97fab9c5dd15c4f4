// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/throughput.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace coord {

double AmdahlThroughput::at(std::span<const int> cores) const {
  double sum = 0, master = 0;
  for (std::size_t c = 0; c < cores.size(); c++)
    if (cores[c] > 0) {
      sum += cores[c] * factors_[c];
      master = std::max(master, factors_[c]);
    }
  if (sum == 0)
    return 0;
  return 1 / (serial_ / master + (1 - serial_) / (efficiency_ * sum));
}

double AmdahlThroughput::serial_share(std::span<const int> cores) const {
  double master = 0;
  for (std::size_t c = 0; c < cores.size(); c++)
    if (cores[c] > 0)
      master = std::max(master, factors_[c]);
  return master > 0 ? at(cores) * serial_ / master : 0;
}

TableThroughput::TableThroughput(std::vector<int> most, std::vector<double> values)
    : most_(std::move(most)), values_(std::move(values)) {
  std::size_t size = 1;
  for (const int count : most_)
    size *= count + 1;
  if (values_.size() != size)
    throw std::invalid_argument(std::to_string(values_.size()) + " values; expected " +
                                std::to_string(size) +
                                ", one for each number of cores of each class");
  values_[0] = 0;
  for (const double value : values_)
    if (!std::isfinite(value) || value < 0)
      throw std::invalid_argument("value " + std::to_string(value) + "; expected throughputs >= 0");
}

double TableThroughput::at(std::span<const int> cores) const {
  std::size_t index = 0;
  for (std::size_t c = 0; c < most_.size(); c++)
    index = index * (most_[c] + 1) + std::min(cores[c], most_[c]);
  return values_[index];
}

} // namespace coord
