// SPDX-License-Identifier: GPL-3.0-or-later
// What simulated programs and their machines are drawn from.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace learn {

using Times = std::vector<double>;

inline double uniform(std::mt19937_64 &random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

inline size_t number(std::mt19937_64 &random, size_t low, size_t high) {
  return std::uniform_int_distribution<size_t>(low, high)(random);
}

inline double log_uniform(std::mt19937_64 &random, double low, double high) {
  return std::exp(uniform(random, std::log(low), std::log(high)));
}

template <typename T> const T &any_of(std::mt19937_64 &random, const std::vector<T> &of) {
  return of[number(random, 0, of.size() - 1)];
}

// The relative costs of ids: even, triangular, stepped, random or one heavy.
Times costs_of(const std::string &shape, size_t ids, std::mt19937_64 &random);

// The speeds of the cores, the fastest class first, the slowest 1.
struct Machine {
  std::string name;
  Times speed;
};

Machine random_machine(std::mt19937_64 &random);

// What the library is told of SPEED: right, twice or half the difference, or not at all.
Times told(const Times &speed, const std::string &known);

// Once in so many nanoseconds something else has a core for 10 to 100 us.
constexpr double interrupt_every_ns = 4e6;

} // namespace learn
