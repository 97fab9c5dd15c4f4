// SPDX-License-Identifier: GPL-3.0-or-later
#include "policies/allocate.h"
#include "policies/exchange.h"

#include <algorithm>
#include <numeric>

namespace coord {
namespace {

std::vector<double> weights(std::span<const Demand> demands) {
  std::vector<double> w;
  for (const Demand &d : demands)
    w.push_back(d.weight);
  return w;
}

} // namespace

double alone(std::span<const int> cores, const Demand &demand) {
  Counts n{};
  int left = demand.most;
  for (std::size_t c = cores.size(); c-- > 0; left -= n[c])
    n[c] = std::min(left, cores[c]);
  return at(demand, n, cores.size());
}

double value(std::span<const int> cores, std::span<const Demand> demands,
             const Allocation &allocation) {
  double sum = 0;
  for (std::size_t i = 0; i < demands.size(); i++)
    sum += demands[i].weight * at(demands[i], allocation[i], cores.size());
  return sum;
}

Allocation a_greedy(std::span<const int> cores, std::span<const Demand> demands) {
  int apps = static_cast<int>(demands.size()), k = static_cast<int>(cores.size());
  Allocation allocation(apps);
  std::vector<int> free(cores.begin(), cores.end());
  std::vector<int> wanted(apps);
  Tournament queue;
  queue.resize(apps);
  auto enqueue = [&](int i) {
    const Demand &d = demands[i];
    Counts n = allocation[i];
    double best = Tournament::kNone, now = at(d, n, k);
    for (int c = k - 1; total(n) < d.most && c >= 0; c--) {
      if (free[c] == 0)
        continue;
      n[c]++;
      double gain = d.weight * (at(d, n, k) - now);
      n[c]--;
      if (gain > best) {
        best = gain;
        wanted[i] = c;
      }
    }
    queue.set(i, best);
  };
  for (int i = 0; i < apps; i++)
    enqueue(i);
  for (int i; (i = queue.best()) >= 0; enqueue(i))
    // The class may have run out since; then it only gets another key.
    if (free[wanted[i]] > 0) {
      allocation[i][wanted[i]]++;
      free[wanted[i]]--;
    }
  return allocation;
}

Allocation a_exact(std::span<const int> cores, std::span<const Demand> demands) {
  Exchange exchange(cores, demands, Allocation(demands.size()), weights(demands));
  exchange.fill();
  exchange.improve(0, 4 * std::reduce(cores.begin(), cores.end()));
  return exchange.allocation();
}

Allocation optimum(std::span<const int> cores, std::span<const Demand> demands) {
  const std::size_t classes = cores.size();
  std::size_t states = 1;
  std::array<std::size_t, kMaxClasses> stride;
  for (std::size_t c = classes; c-- > 0;) {
    stride[c] = states;
    states *= cores[c] + 1;
  }
  // best[s]: of the applications so far, with at most the cores of state s; choice[i][s]: what the
  // last of them has then.
  std::vector<double> best(states, 0), next(states);
  std::vector<std::vector<Counts>> choice(demands.size(), std::vector<Counts>(states));
  for (std::size_t i = 0; i < demands.size(); i++) {
    std::fill(next.begin(), next.end(), Tournament::kNone);
    std::vector<std::pair<Counts, double>> options;
    for_each_count(cores, [&](const Counts &n) {
      if (total(n) <= demands[i].most)
        options.emplace_back(n, demands[i].weight * at(demands[i], n, classes));
    });
    std::size_t state = 0;
    for_each_count(cores, [&](const Counts &have) {
      for (const auto &[n, gain] : options) {
        std::size_t used = 0;
        bool fits = true;
        for (std::size_t c = 0; c < cores.size(); c++) {
          fits &= n[c] <= have[c];
          used += n[c] * stride[c];
        }
        if (fits && best[state - used] + gain > next[state]) {
          next[state] = best[state - used] + gain;
          choice[i][state] = n;
        }
      }
      state++;
    });
    best.swap(next);
  }
  Allocation allocation(demands.size());
  std::size_t state = states - 1;
  for (std::size_t i = demands.size(); i-- > 0;) {
    allocation[i] = choice[i][state];
    for (std::size_t c = 0; c < cores.size(); c++)
      state -= allocation[i][c] * stride[c];
  }
  return allocation;
}

Allocation equi(std::span<const int> cores, std::span<const Demand> demands) {
  Allocation allocation(demands.size());
  std::size_t next = 0, apps = demands.size();
  for (std::size_t c = cores.size(); c-- > 0;)
    for (int k = 0; k < cores[c]; k++) {
      std::size_t tried = 0;
      while (tried < apps && total(allocation[next]) >= demands[next].most) {
        next = (next + 1) % apps;
        tried++;
      }
      if (tried == apps)
        return allocation;
      allocation[next][c]++;
      next = (next + 1) % apps;
    }
  return allocation;
}

Allocation mts_like(std::span<const int> cores, std::span<const Demand> demands) {
  Allocation allocation(demands.size());
  for (std::size_t c = cores.size(); c-- > 0;) {
    Counts one{};
    one[c] = 1;
    std::vector<std::size_t> order(demands.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) {
      return demands[i].weight * at(demands[i], one, cores.size());
    });
    int left = cores[c];
    for (const std::size_t i : order) {
      const int given = std::min(left, demands[i].most - total(allocation[i]));
      allocation[i][c] = given;
      left -= given;
    }
  }
  return allocation;
}

namespace {

// Cores, fastest first, each to the application that lacks most of its part of the capacity; while
// there are cores for all, each has one.
Allocation deal(std::span<const int> cores, std::span<const Demand> demands,
                std::span<const double> capacity) {
  int apps = static_cast<int>(demands.size()), left = std::reduce(cores.begin(), cores.end()),
      without = 0;
  double all = 0, weight = 0;
  for (std::size_t c = 0; c < cores.size(); c++)
    all += cores[c] * capacity[c];
  for (const Demand &d : demands)
    weight += d.weight;
  Allocation allocation(apps);
  std::vector<double> lack(apps);
  // Applications by what they lack; those without a core have a tree of their own, too.
  Tournament any, bare;
  any.resize(apps);
  bare.resize(apps);
  for (int i = 0; i < apps; i++) {
    lack[i] = all * demands[i].weight / weight;
    if (demands[i].most > 0) {
      any.set(i, lack[i]);
      bare.set(i, lack[i]);
      without++;
    }
  }
  for (std::size_t c = cores.size(); c-- > 0;)
    for (int k = 0; k < cores[c]; k++, left--) {
      int i = without >= left && without > 0 ? bare.best() : any.best();
      if (i < 0)
        return allocation;
      without -= total(allocation[i]) == 0;
      allocation[i][c]++;
      lack[i] -= capacity[c];
      bare.set(i, Tournament::kNone);
      any.set(i, total(allocation[i]) < demands[i].most ? lack[i] : Tournament::kNone);
    }
  return allocation;
}

} // namespace

namespace {

// P of PART of all cores, as if these could be divided: linear between the counts around it.
double at_part(const Throughput &p, std::span<const int> cores, double part) {
  double sum = 0;
  for (unsigned corner = 0; corner < 1u << cores.size(); corner++) {
    double weight = 1;
    Counts n{};
    for (std::size_t c = 0; c < cores.size(); c++) {
      const double wanted = part * cores[c];
      const int whole = static_cast<int>(wanted);
      const bool up = corner >> c & 1;
      n[c] = whole + up;
      weight *= up ? wanted - whole : 1 - (wanted - whole);
    }
    if (weight > 0)
      sum += weight * p.at({n.data(), cores.size()});
  }
  return sum;
}

} // namespace

Allocation share(std::span<const int> cores, std::span<const Demand> demands,
                 std::span<const double> capacity, double gain, double floor) {
  double weight = 0;
  for (const Demand &d : demands)
    weight += d.weight;
  std::vector<double> scale, least;
  for (const Demand &d : demands) {
    const double best = alone(cores, d);
    scale.push_back(best > 0 ? d.weight / best : 0);
    least.push_back(floor * scale.back() * at_part(*d.p, cores, d.weight / weight));
  }
  Exchange exchange(cores, demands, deal(cores, demands, capacity), scale, least);
  exchange.improve(gain, 4 * std::reduce(cores.begin(), cores.end()));
  return exchange.allocation();
}

} // namespace coord
