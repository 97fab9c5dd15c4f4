// SPDX-License-Identifier: GPL-3.0-or-later
// How fast an application runs on a set of cores: P(n), by Amdahl's law or from a table.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace coord {

// Work per second as a function of the number of cores of each class. The unit of work is the
// application's own: for Amdahl's law a second on one core of class 0, for a table what the table
// counts (runs, for papers' tables).
class Throughput {
public:
  virtual ~Throughput() = default;
  // CORES has one count >= 0 for each class. 0 if all are 0.
  virtual double at(std::span<const int> cores) const = 0;
  // Of the time on CORES, the share outside parallel regions.
  virtual double serial_share(std::span<const int>) const { return 0; }
};

// 1 / (serial/SF_m + parallel/(eta * sum n_c SF_c)), m the fastest class with a core.
class AmdahlThroughput final : public Throughput {
public:
  // FACTORS: SF by class, factors[0] = 1, > 0. SERIAL: share of the work on class 0 that is serial,
  // 0..1. EFFICIENCY: of the parallel part, 0 < eta <= 1.
  AmdahlThroughput(std::vector<double> factors, double serial, double efficiency = 1)
      : factors_(std::move(factors)), serial_(serial), efficiency_(efficiency) {}
  double at(std::span<const int> cores) const override;
  double serial_share(std::span<const int> cores) const override;
  const std::vector<double> &factors() const { return factors_; }

private:
  std::vector<double> factors_;
  double serial_, efficiency_;
};

// A full table over 0..most[c] cores of each class c. More cores than the table has count as its
// last row.
class TableThroughput final : public Throughput {
public:
  // VALUES: the last class varies fastest; as many as the product of most[c] + 1. The value at no
  // core at all is ignored. Throws std::invalid_argument if the number does not fit or a value is
  // negative or not finite.
  TableThroughput(std::vector<int> most, std::vector<double> values);
  double at(std::span<const int> cores) const override;
  const std::vector<int> &most() const { return most_; }

private:
  std::vector<int> most_;
  std::vector<double> values_;
};

} // namespace coord
