// SPDX-License-Identifier: GPL-3.0-or-later
// Shares the cores of a node among MPI ranks.
#include "amp-info/ranks.h"

#include "common/command.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace amp {

namespace {

// Indices of CORES, fastest first, and cores that are alike in the order of their places.
std::vector<std::size_t> fastest_first(const std::vector<Core> &cores) {
  const auto speed = [&](std::size_t i) { return std::pair(cores[i].cls, cores[i].capacity); };
  std::vector<std::size_t> order(cores.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return speed(a) > speed(b); });
  return order;
}

bool capacities_known(const std::vector<Core> &cores) {
  return std::all_of(cores.begin(), cores.end(),
                     [](const Core &core) { return core.capacity > 0; });
}

// The hardware threads of CORES, each with its part of its core's capacity.
std::vector<Core> hardware_threads(const std::vector<Core> &cores) {
  std::vector<Core> threads;
  for (const Core &core : cores)
    for (const int cpu : core.cpus)
      threads.push_back({{cpu}, core.cls, core.capacity / static_cast<int>(core.cpus.size()), -1});
  return threads;
}

std::string joined(const std::vector<int> &numbers, const char *separator) {
  std::string text;
  for (const int number : numbers)
    text += (text.empty() ? "" : separator) + std::to_string(number);
  return text;
}

} // namespace

std::vector<std::size_t> owners_of(const std::vector<Core> &cores, int ranks) {
  const std::vector<std::size_t> order = fastest_first(cores);
  const bool known = capacities_known(cores);
  std::vector<long> load(static_cast<std::size_t>(ranks));
  // How many cores of each kind a rank gets. The rank with the least load gets the next core, and
  // later cores are not faster: so its last core alone can put it ahead of another rank.
  std::map<std::pair<int, int>, std::vector<std::size_t>> wanted;
  for (const std::size_t index : order) {
    const Core &core = cores[index];
    const auto least = std::min_element(load.begin(), load.end());
    *least += known ? core.capacity : 1;
    std::vector<std::size_t> &numbers = wanted[{core.cls, core.capacity}];
    numbers.resize(load.size());
    ++numbers[static_cast<std::size_t>(least - load.begin())];
  }
  // Which ones: neighbours, as they share caches.
  std::vector<std::size_t> owners(cores.size());
  for (const std::size_t index : order) {
    std::vector<std::size_t> &numbers = wanted[{cores[index].cls, cores[index].capacity}];
    const auto owner =
        std::find_if(numbers.begin(), numbers.end(), [](auto left) { return left > 0; });
    owners[index] = static_cast<std::size_t>(owner - numbers.begin());
    --*owner;
  }
  return owners;
}

std::vector<RankShare> share_cores(const std::vector<Core> &cores, int ranks) {
  const auto count = static_cast<std::size_t>(ranks);
  const bool whole = count <= cores.size();
  const std::vector<Core> units = whole ? cores : hardware_threads(cores);
  if (count > units.size())
    throw Failure("--ranks=" + std::to_string(ranks) + ": expected at most " +
                  std::to_string(units.size()) + ", the number of CPUs that may be used");
  const std::vector<std::size_t> owners = owners_of(units, ranks);
  const bool known = capacities_known(units);
  std::vector<RankShare> shares(count);
  for (std::size_t i = 0; i < units.size(); ++i) {
    RankShare &share = shares[owners[i]];
    share.cpus.insert(share.cpus.end(), units[i].cpus.begin(), units[i].cpus.end());
    if (whole)
      share.cores.push_back(units[i].number);
    if (known)
      share.capacity += units[i].capacity;
  }
  for (RankShare &share : shares) {
    std::sort(share.cpus.begin(), share.cpus.end());
    std::sort(share.cores.begin(), share.cores.end());
  }
  return shares;
}

std::string mpich_binding(const std::vector<RankShare> &shares) {
  std::string text;
  for (const RankShare &share : shares)
    text += (text.empty() ? "user:" : ",") + joined(share.cpus, "+");
  return text;
}

std::string openmpi_rank_file(const std::vector<RankShare> &shares) {
  std::string text;
  for (std::size_t rank = 0; rank < shares.size(); ++rank) {
    if (shares[rank].cores.empty())
      throw Failure("--rankfile=openmpi: ranks that share a core cannot be written in it; expected "
                    "at most as many --ranks as cores");
    text += "rank " + std::to_string(rank) + "=localhost slot=" + joined(shares[rank].cores, ",") +
            "\n";
  }
  return text;
}

} // namespace amp
