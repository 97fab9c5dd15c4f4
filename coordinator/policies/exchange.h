// SPDX-License-Identifier: GPL-3.0-or-later
// An allocation and what each change of it by one core would gain.
#pragma once

#include "policies/allocate.h"

#include <limits>

namespace coord {

// The largest of some keys, each of which may change: a tree of winners. Of equal keys the lowest
// index wins.
class Tournament {
public:
  static constexpr double kNone = -std::numeric_limits<double>::infinity();

  void resize(int size);
  void set(int i, double key);
  // The winner, and its key; -1 and kNone if there is none.
  int best() const { return winner_[1]; }
  double key(int i) const { return i < 0 ? kNone : key_[i]; }
  // The best one other than the winner.
  int second() const;

private:
  int better(int a, int b) const { return key(b) > key(a) ? b : a; }

  int leaves_ = 1;
  std::vector<double> key_;
  std::vector<int> winner_; // winner_[1] of all; the children of i are 2i and 2i+1
};

class Exchange {
public:
  // Starts from ALLOCATION. An application's value is scale[i] * P(n); a change that would leave
  // it below floor[i] is none. Empty FLOOR: no bound.
  Exchange(std::span<const int> cores, std::span<const Demand> demands, Allocation allocation,
           std::vector<double> scale, std::vector<double> floor = {});

  // Gives cores one by one, each by the best augmenting path, while that gains.
  void fill();
  // Makes the best single change while it gains: a free core, a core given up, a move between
  // classes or between two applications, a swap. GAIN: least gain of a change over the value of
  // the applications that it touches. At most STEPS changes.
  void improve(double gain, int steps);

  const Allocation &allocation() const { return allocation_; }

private:
  void change(int app, int from, int to);
  void refresh(int app);

  const std::span<const int> cores_;
  std::span<const Demand> demands_;
  Allocation allocation_;
  std::vector<double> scale_, floor_, value_;
  const int classes_;
  Counts free_{};
  // Trees of applications by what they gain from one core more of a class, one less (a loss is a
  // negative gain), or one of class b in place of one of class a.
  std::array<Tournament, kMaxClasses> more_, less_;
  std::array<std::array<Tournament, kMaxClasses>, kMaxClasses> other_;
};

} // namespace coord
