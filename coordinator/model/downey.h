// SPDX-License-Identifier: GPL-3.0-or-later
// Downey's model of the speedup of a parallel job ("A model for speedup of parallel programs",
// 1997).
#pragma once

#include "core/throughput.h"

namespace coord {

// Speedup on N >= 1 processors of a job with the average parallelism A >= 1 and the variance of
// parallelism SIGMA >= 0.
double downey_speedup(double n, double a, double sigma);

// The same on cores of several classes: each counts as many processors as its class is faster than
// class 0.
class DowneyThroughput final : public Throughput {
public:
  DowneyThroughput(std::vector<double> factors, double a, double sigma)
      : factors_(std::move(factors)), a_(a), sigma_(sigma) {}
  double at(std::span<const int> cores) const override;

private:
  std::vector<double> factors_;
  double a_, sigma_;
};

} // namespace coord
