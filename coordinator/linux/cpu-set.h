// SPDX-License-Identifier: GPL-3.0-or-later
// Sets of the kernel's CPUs.
#pragma once

#include <bitset>
#include <optional>
#include <string>
#include <string_view>

namespace coord {

constexpr int kMostCpus = 4096;
using CpuSet = std::bitset<kMostCpus>;

// "0-3,8"; empty for the empty set.
std::string cpu_list(const CpuSet &cpus);
// None if TEXT is no such list.
std::optional<CpuSet> parse_cpu_list(std::string_view text);

// Calls F for each CPU of CPUS, in order.
template <class F> void for_each_cpu(const CpuSet &cpus, F f) {
  for (std::size_t cpu = cpus._Find_first(); cpu < cpus.size(); cpu = cpus._Find_next(cpu))
    f(static_cast<int>(cpu));
}

} // namespace coord
