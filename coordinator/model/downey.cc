// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/downey.h"

#include <algorithm>

namespace coord {

double downey_speedup(double n, double a, double sigma) {
  if (sigma <= 1) {
    if (n <= a)
      return a * n / (a + sigma * (n - 1) / 2);
    if (n <= 2 * a - 1)
      return a * n / (sigma * (a - 0.5) + n * (1 - sigma / 2));
    return a;
  }
  return n <= a + a * sigma - sigma ? n * a * (sigma + 1) / (sigma * (n + a - 1) + a) : a;
}

double DowneyThroughput::at(std::span<const int> cores) const {
  double processors = 0, fastest = 0;
  for (std::size_t c = 0; c < cores.size(); c++)
    if (cores[c] > 0) {
      processors += cores[c] * factors_[c];
      fastest = std::max(fastest, factors_[c]);
    }
  // One core is as fast as it is, also beyond the parallelism of a serial job.
  return processors > 0 ? std::max(fastest, downey_speedup(processors, a_, sigma_)) : 0;
}

} // namespace coord
