// SPDX-License-Identifier: GPL-3.0-or-later
#include "policies/exchange.h"

#include <algorithm>

namespace coord {

void Tournament::resize(int size) {
  while (leaves_ < size)
    leaves_ *= 2;
  key_.assign(size, kNone);
  winner_.assign(2 * leaves_, -1);
}

void Tournament::set(int i, double key) {
  key_[i] = key;
  int node = leaves_ + i;
  winner_[node] = key == kNone ? -1 : i;
  for (node /= 2; node > 0; node /= 2) {
    int winner = better(winner_[2 * node], winner_[2 * node + 1]);
    // Above a match that I neither won nor wins, nothing changes.
    if (winner == winner_[node] && winner != i)
      return;
    winner_[node] = winner;
  }
}

int Tournament::second() const {
  int second = -1;
  if (best() >= 0)
    for (int node = leaves_ + best(); node > 1; node /= 2)
      second = better(second, winner_[node ^ 1]);
  return second;
}

Exchange::Exchange(std::span<const int> cores, std::span<const Demand> demands,
                   Allocation allocation, std::vector<double> scale, std::vector<double> floor)
    : cores_{cores}, demands_{demands},
      allocation_{std::move(allocation)}, scale_{std::move(scale)}, floor_{std::move(floor)},
      value_(demands.size()), classes_{static_cast<int>(cores.size())} {
  int apps = static_cast<int>(demands.size());
  std::ranges::copy(cores, free_.begin());
  for (int c = 0; c < classes_; c++) {
    more_[c].resize(apps);
    less_[c].resize(apps);
    for (int d = 0; d < classes_; d++)
      if (d != c)
        other_[c][d].resize(apps);
  }
  for (int i = 0; i < apps; i++) {
    for (int c = 0; c < classes_; c++)
      free_[c] -= allocation_[i][c];
    refresh(i);
  }
}

// Recomputes what application APP would gain.
void Exchange::refresh(int app) {
  Counts n = allocation_[app];
  auto at = [&] { return scale_[app] * coord::at(demands_[app], n, classes_); };
  double now = value_[app] = at();
  bool full = total(n) >= demands_[app].most;
  auto gain = [&] {
    double then = at();
    return floor_.empty() || then >= floor_[app] || then >= now ? then - now : Tournament::kNone;
  };
  for (int c = 0; c < classes_; c++) {
    n[c]++;
    more_[c].set(app, full || n[c] > cores_[c] ? Tournament::kNone : gain());
    n[c] -= 2;
    bool has = n[c] >= 0;
    less_[c].set(app, has ? gain() : Tournament::kNone);
    for (int d = 0; d < classes_; d++)
      if (d != c) {
        n[d]++;
        other_[c][d].set(app, has && n[d] <= cores_[d] ? gain() : Tournament::kNone);
        n[d]--;
      }
    n[c]++;
  }
}

// Takes a core of class FROM from APP and gives it one of class TO; -1: none.
void Exchange::change(int app, int from, int to) {
  if (from >= 0) {
    allocation_[app][from]--;
    free_[from]++;
  }
  if (to >= 0) {
    allocation_[app][to]++;
    free_[to]--;
  }
  refresh(app);
}

void Exchange::fill() {
  // From a class to one with a free core, no class twice: an application moves on to each next one.
  struct Path {
    double gain = Tournament::kNone;
    int length = 0;
    std::array<int, kMaxClasses> classes;
  };
  for (;;) {
    std::array<Path, kMaxClasses> path;
    for (int c = 0; c < classes_; c++)
      if (free_[c] > 0)
        path[c] = {0, 1, {c}};
    for (int hops = 1; hops < classes_; hops++)
      for (int c = 0; c < classes_; c++)
        for (int d = 0; d < classes_; d++) {
          const auto *const begin = path[d].classes.begin(), *const end = begin + path[d].length;
          if (d == c || begin == end || std::find(begin, end, c) != end)
            continue;
          const Tournament &move = other_[c][d];
          if (const double through = move.key(move.best()) + path[d].gain; through > path[c].gain) {
            path[c].gain = through;
            path[c].length = path[d].length + 1;
            path[c].classes[0] = c;
            std::copy(begin, end, path[c].classes.begin() + 1);
          }
        }
    int first = -1;
    double best = 0;
    for (int c = classes_ - 1; c >= 0; c--)
      if (path[c].length > 0 && more_[c].key(more_[c].best()) + path[c].gain > best) {
        best = more_[c].key(more_[c].best()) + path[c].gain;
        first = c;
      }
    if (first < 0)
      return;
    // All movers are found before anything changes; an application may be two of them.
    const Path &chosen = path[first];
    std::array<int, kMaxClasses> mover;
    for (int i = 0; i + 1 < chosen.length; i++)
      mover[i] = other_[chosen.classes[i]][chosen.classes[i + 1]].best();
    change(more_[first].best(), -1, first);
    for (int i = 0; i + 1 < chosen.length; i++)
      change(mover[i], chosen.classes[i], chosen.classes[i + 1]);
  }
}

void Exchange::improve(double gain, int steps) {
  struct Change {
    double gain = 0;
    int app = -1, from = -1, to = -1;               // one application's change
    int other = -1, other_from = -1, other_to = -1; // and the one that makes room for it
  };
  // A gain that rounding could feign is none.
  constexpr double kNoise = 1e-12;
  while (steps-- > 0) {
    Change best;
    auto consider = [&](double g, Change c) {
      double touched = value_[c.app] + (c.other < 0 ? 0 : value_[c.other]);
      if (g > best.gain && g > gain * touched && g > kNoise * touched) {
        best = c;
        best.gain = g;
      }
    };
    // A pair of changes by two applications, of which the trees may name one for both.
    auto consider_pair = [&](const Tournament &a, int from, int to, const Tournament &b) {
      int i = a.best(), j = b.best();
      if (i < 0 || j < 0)
        return;
      auto pair = [&](int x, int y) {
        if (x >= 0 && y >= 0)
          consider(a.key(x) + b.key(y), {0, x, from, to, y, to, from});
      };
      if (i != j)
        pair(i, j);
      else {
        pair(i, b.second());
        pair(a.second(), j);
      }
    };
    for (int c = 0; c < classes_; c++) {
      if (free_[c] > 0 && more_[c].best() >= 0)
        consider(more_[c].key(more_[c].best()), {0, more_[c].best(), -1, c, -1, -1, -1});
      if (less_[c].best() >= 0)
        consider(less_[c].key(less_[c].best()), {0, less_[c].best(), c, -1, -1, -1, -1});
      consider_pair(more_[c], -1, c, less_[c]);
      for (int d = 0; d < classes_; d++) {
        if (d == c)
          continue;
        const Tournament &move = other_[c][d];
        if (free_[d] > 0 && move.best() >= 0)
          consider(move.key(move.best()), {0, move.best(), c, d, -1, -1, -1});
        if (c < d)
          consider_pair(move, c, d, other_[d][c]);
      }
    }
    if (best.app < 0)
      return;
    change(best.app, best.from, best.to);
    if (best.other >= 0)
      change(best.other, best.other_from, best.other_to);
  }
}

} // namespace coord
