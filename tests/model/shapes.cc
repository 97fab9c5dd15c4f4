// SPDX-License-Identifier: GPL-3.0-or-later
// Makes the shapes, and computes what no schedule can better.
#include "shapes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace model {

const std::vector<std::string> shape_names = {
    "even",   "rising",   "falling",     "step up",         "step down",       "heavy one",
    "random", "triangle", "triangle^-1", "cheap-expensive", "expensive-cheap", "bump"};

namespace {

// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): the same numbers with every C++ library.
class Numbers {
public:
  explicit Numbers(uint64_t seed) : state_(seed) {}

  double uniform(double low = 0, double high = 1) {
    uint64_t x = state_ += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return low + double((x ^ x >> 31) >> 11) * 0x1p-53 * (high - low);
  }
  double log_uniform(double low, double high) {
    return std::exp(uniform(std::log(low), std::log(high)));
  }
  unsigned below(unsigned n) { return unsigned(uniform() * n); }

private:
  uint64_t state_;
};

std::vector<double> relative_costs(const std::string &name, size_t ni, Numbers &numbers) {
  std::vector<double> cost(ni, 1);
  const double times = numbers.log_uniform(2, 100);
  const auto at = size_t(numbers.uniform() * ni);
  const auto ramp = [&](size_t i) { return 1 + (times - 1) * (i + 0.5) / ni; };
  for (size_t i = 0; i < ni; i++)
    if (name == "rising")
      cost[i] = ramp(i);
    else if (name == "falling")
      cost[i] = ramp(ni - 1 - i);
    else if (name == "step up")
      cost[i] = i >= at ? times : 1;
    else if (name == "step down")
      cost[i] = i < at ? times : 1;
    else if (name == "random")
      cost[i] = numbers.log_uniform(1, times);
    else if (name == "triangle")
      cost[i] = i + 1;
    else if (name == "triangle^-1")
      cost[i] = ni - i;
    else if (name == "cheap-expensive")
      cost[i] = i >= ni / 2 ? times : 1;
    else if (name == "expensive-cheap")
      cost[i] = i < ni / 2 ? times : 1;
    else if (name == "bump")
      cost[i] = std::abs(double(i) - double(at)) < ni / 20. ? times : 1;
  if (name == "heavy one")
    cost[at] = times;
  return cost;
}

// The fluid bound of the k longest iterations on the k fastest cores, for each k; and for each k
// the time in which cores could run k iterations of the length of the k-th longest. No schedule is
// below either.
double bound_of(std::vector<double> cost, std::vector<double> speeds) {
  std::sort(cost.begin(), cost.end(), std::greater<>());
  std::sort(speeds.begin(), speeds.end(), std::greater<>());
  const double capacity = std::accumulate(speeds.begin(), speeds.end(), 0.);
  double bound = std::accumulate(cost.begin(), cost.end(), 0.) / capacity;
  double longest = 0, fastest = 0;
  for (size_t k = 0; k < std::min(cost.size(), speeds.size()); k++) {
    longest += cost[k];
    fastest += speeds[k];
    bound = std::max(bound, longest / fastest);
  }
  for (size_t k = 1; k <= cost.size(); k = std::max(k + 1, k * 17 / 16)) {
    const auto fit = [&](double time) {
      double sum = 0;
      for (double speed : speeds)
        sum += std::floor(time * speed / cost[k - 1] * (1 + 1e-12));
      return sum >= k;
    };
    if (fit(bound))
      continue;
    double low = bound, high = cost[k - 1] * (k / capacity + 1);
    while (high - low > 1e-6 * high)
      (fit((low + high) / 2) ? high : low) = (low + high) / 2;
    bound = high;
  }
  return bound;
}

double inline_static_of(const Shape &shape) {
  const size_t ni = shape.cost.size(), threads = shape.speeds.size();
  const size_t length = ni / threads, more = ni % threads;
  double end = 0;
  auto at = shape.cost.begin();
  for (size_t t = 0; t < threads; t++) {
    const auto next = at + length + (t < more);
    end = std::max(end, std::accumulate(at, next, 0.) / shape.speeds[t]);
    at = next;
  }
  return end;
}

} // namespace

Shape make_shape(uint64_t seed, const Family &family) {
  Numbers numbers(seed);
  Shape shape;
  const auto &names = family.names.empty() ? shape_names : family.names;
  shape.name = names[numbers.below(names.size())];

  const unsigned classes = 2 + numbers.below(2);
  std::vector<double> speeds = {1};
  while (speeds.size() < classes)
    speeds.push_back(numbers.log_uniform(1, 9));
  std::sort(speeds.begin(), speeds.end());
  const unsigned threads = std::max(classes, 2 + numbers.below(family.max_threads - 1));
  // At least one thread of each class.
  for (unsigned t = 0; t < threads; t++)
    shape.classes.push_back(t < classes ? t : numbers.below(classes));
  std::sort(shape.classes.begin(), shape.classes.end());
  if (numbers.below(2))
    std::reverse(shape.classes.begin(), shape.classes.end());
  for (unsigned cls : shape.classes)
    shape.speeds.push_back(speeds[cls]);
  const double capacity = std::accumulate(shape.speeds.begin(), shape.speeds.end(), 0.);

  // Iterations of 5 ns at least.
  const double work = numbers.log_uniform(family.shortest_ns, family.longest_ns) * capacity;
  const auto ni = size_t(numbers.log_uniform(threads, std::min(131072., work / 5)));
  shape.cost = relative_costs(shape.name, ni, numbers);
  const double scale = work / std::accumulate(shape.cost.begin(), shape.cost.end(), 0.);
  for (double &cost : shape.cost)
    cost *= scale;

  shape.bound = bound_of(shape.cost, shape.speeds);
  shape.inline_static = inline_static_of(shape);
  shape.one_decides = *std::max_element(shape.cost.begin(), shape.cost.end()) /
                          *std::max_element(speeds.begin(), speeds.end()) >
                      work / capacity;
  return shape;
}

Loop Shape::loop(int kind) const {
  Loop loop;
  loop.setting.kind = kind;
  loop.setting.ni = cost.size();
  loop.setting.classes = classes;
  loop.speeds = speeds;
  loop.cost = [this](gomp_aid_count i) { return cost[i]; };
  loop.removal_ns = 0;
  loop.lines = true;
  return loop;
}

} // namespace model
