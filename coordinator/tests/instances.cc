// SPDX-License-Identifier: GPL-3.0-or-later
// Prints random instances and their allocations, for highs_test.py.
#include "tests/instances.h"

#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>

int main() {
  using namespace coord;
  std::mt19937_64 random(8);
  constexpr int kInstances = 60, kMostStates = 60;
  for (int round = 0; round < kInstances; round++) {
    Instance x;
    x.cores = random_cores(random, kMostStates);
    const bool concave = round % 2 == 0;
    const int all = std::reduce(x.cores.begin(), x.cores.end());
    for (int i = between(random, 1, 5); i > 0; i--)
      x.add(concave ? separable(random, x.cores) : arbitrary(random, x.cores),
            between(random, 0, all + 1), between(random, 1, 3));
    nlohmann::json apps;
    for (const Demand &demand : x.demands) {
      nlohmann::json options;
      for_each_count(x.cores, [&](const Counts &n) {
        if (total(n) <= demand.most)
          options.push_back({{"cores", std::vector<int>(n.begin(), n.begin() + x.cores.size())},
                             {"value", demand.weight * at(demand, n, x.cores.size())}});
      });
      apps.push_back({{"options", options}});
    }
    std::cout << nlohmann::json{{"cores", x.cores},
                                {"separable", concave},
                                {"apps", apps},
                                {"dp", value(x.cores, x.demands, optimum(x.cores, x.demands))},
                                {"exact", value(x.cores, x.demands, a_exact(x.cores, x.demands))}}
              << '\n';
  }
}
