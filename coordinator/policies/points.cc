// SPDX-License-Identifier: GPL-3.0-or-later
#include "policies/points.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace coord {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

bool fits(const Counts &n, const Counts &left) {
  return std::ranges::equal(n, left, std::less_equal());
}

// N added to LEFT, or taken from it with SIGN -1.
void add(Counts &left, const Counts &n, int sign) {
  for (int c = 0; c < kMaxClasses; c++)
    left[c] += sign * n[c];
}

} // namespace

Choices price(std::span<const OperatingPoint> points, Objective objective, double alone) {
  Choices choices;
  double least = kInfinite;
  for (const OperatingPoint &point : points) {
    const double run = 1 / point.rate;
    const double cost = objective == Objective::Time     ? -point.rate / alone
                        : objective == Objective::Energy ? point.watts * run
                                                         : point.watts * run * run;
    choices.push_back({point.cores, cost});
    least = std::min(least, cost);
  }
  if (objective != Objective::Time && least > 0)
    for (Choice &choice : choices)
      choice.cost /= least;
  return choices;
}

Choices pareto(const Choices &choices) {
  Choices kept;
  for (std::size_t i = 0; i < choices.size(); i++) {
    bool needed = true;
    for (std::size_t j = 0; j < choices.size() && needed; j++) {
      const Choice &a = choices[i], &b = choices[j];
      const bool better = b.cost <= a.cost && fits(b.cores, a.cores);
      const bool alike = b.cost == a.cost && b.cores == a.cores;
      needed = j == i || !better || (alike && j > i);
    }
    if (needed)
      kept.push_back(choices[i]);
  }
  return kept;
}

namespace {

// What a core of each class costs beyond a choice's own cost: more where more are wanted than there
// are.
using Multipliers = std::array<double, kMaxClasses>;

double priced(const Choice &choice, const Multipliers &multiplier) {
  double sum = choice.cost;
  for (std::size_t c = 0; c < multiplier.size(); c++)
    sum += multiplier[c] * choice.cores[c];
  return sum;
}

// By what costs of an application differ at most.
double spread_of(std::span<const Choices> apps) {
  double spread = 0;
  for (const Choices &choices : apps)
    if (!choices.empty()) {
      const auto [low, high] = std::ranges::minmax(choices, {}, &Choice::cost);
      spread = std::max(spread, high.cost - low.cost);
    }
  return spread;
}

// Of each application the choice of the least price. What they use, and their cost.
std::pair<Counts, double> pick_cheapest(std::span<const Choices> apps,
                                        const Multipliers &multiplier, std::vector<int> &picked) {
  Counts used{};
  double cost = 0;
  for (std::size_t i = 0; i < apps.size(); i++) {
    double least = kInfinite;
    for (std::size_t j = 0; j < apps[i].size(); j++)
      if (const double here = priced(apps[i][j], multiplier); here < least) {
        least = here;
        picked[i] = static_cast<int>(j);
      }
    if (picked[i] >= 0) {
      add(used, apps[i][picked[i]].cores, 1);
      cost += apps[i][picked[i]].cost;
    }
  }
  return {used, cost};
}

// Gives picks that fit in LEFT to the applications that have none, and takes their cores from LEFT.
void give_to_all(std::span<const Choices> apps, const Multipliers &multiplier, Counts &left,
                 std::vector<int> &chosen) {
  auto without = std::ranges::count_if(apps, [](const Choices &each) { return !each.empty(); });
  for (std::size_t i = 0; i < apps.size(); i++) {
    if (apps[i].empty())
      continue;
    without--;
    const auto room = [&](const Choice &choice) {
      return fits(choice.cores, left) && total(left) - total(choice.cores) >= without;
    };
    if (chosen[i] < 0 || !room(apps[i][chosen[i]])) {
      chosen[i] = -1;
      double least = kInfinite;
      for (const bool all_get_one : {true, false})
        for (std::size_t j = 0; j < apps[i].size() && (all_get_one || chosen[i] < 0); j++)
          if (const double here = priced(apps[i][j], multiplier);
              (all_get_one ? room(apps[i][j]) : fits(apps[i][j].cores, left)) && here < least) {
            least = here;
            chosen[i] = static_cast<int>(j);
          }
    }
    if (chosen[i] >= 0)
      add(left, apps[i][chosen[i]].cores, -1);
  }
}

// Lets each application take a cheaper choice that the cores that are LEFT allow.
void take_cheaper(std::span<const Choices> apps, Counts &left, std::vector<int> &chosen) {
  for (std::size_t i = 0; i < apps.size(); i++) {
    if (chosen[i] >= 0)
      add(left, apps[i][chosen[i]].cores, 1);
    for (std::size_t j = 0; j < apps[i].size(); j++)
      if (fits(apps[i][j].cores, left) &&
          (chosen[i] < 0 || apps[i][j].cost < apps[i][chosen[i]].cost))
        chosen[i] = static_cast<int>(j);
    if (chosen[i] >= 0)
      add(left, apps[i][chosen[i]].cores, -1);
  }
}

} // namespace

std::vector<int> choose(std::span<const int> cores, std::span<const Choices> apps) {
  // Subgradient steps fall as 1/sqrt(round); a step is sized by what costs differ by.
  constexpr int kRounds = 40;
  Counts all{};
  std::ranges::copy(cores, all.begin());
  const double spread = spread_of(apps);
  Multipliers multiplier{};
  std::vector<int> picked(apps.size(), -1), best;
  double best_cost = kInfinite;
  for (int round = 0; round < kRounds; round++) {
    const auto [used, cost] = pick_cheapest(apps, multiplier, picked);
    if (fits(used, all) && cost < best_cost) {
      best_cost = cost;
      best = picked;
      if (round == 0)
        break; // everybody has its cheapest
    }
    for (std::size_t c = 0; c < cores.size(); c++)
      multiplier[c] =
          std::max(0.0, multiplier[c] + spread / std::sqrt(round + 1) * (used[c] - cores[c]) /
                                            (static_cast<double>(std::max(cores[c], 1)) *
                                             std::max(cores[c], 1)));
  }
  if (best.empty())
    best = picked;
  Counts left = all;
  give_to_all(apps, multiplier, left, best);
  take_cheaper(apps, left, best);
  return best;
}

std::vector<int> choose_by_trying(std::span<const int> cores, std::span<const Choices> apps) {
  Counts left{};
  std::ranges::copy(cores, left.begin());
  std::vector<int> chosen(apps.size()), best;
  double least = kInfinite;
  const auto try_from = [&](const auto &self, std::size_t i, double cost) -> void {
    if (i == apps.size()) {
      if (cost < least) {
        least = cost;
        best = chosen;
      }
      return;
    }
    for (std::size_t j = 0; j < apps[i].size(); j++)
      if (fits(apps[i][j].cores, left)) {
        chosen[i] = static_cast<int>(j);
        add(left, apps[i][j].cores, -1);
        self(self, i + 1, cost + apps[i][j].cost);
        add(left, apps[i][j].cores, 1);
      }
  };
  try_from(try_from, 0, 0);
  return best;
}

} // namespace coord
