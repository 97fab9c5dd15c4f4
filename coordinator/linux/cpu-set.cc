// SPDX-License-Identifier: GPL-3.0-or-later
#include "linux/cpu-set.h"

#include <charconv>

namespace coord {

std::string cpu_list(const CpuSet &cpus) {
  std::string text;
  int first = -1, last = -2;
  const auto end_range = [&] {
    if (first < 0)
      return;
    text += (text.empty() ? "" : ",") + std::to_string(first);
    if (last > first)
      text += "-" + std::to_string(last);
  };
  for_each_cpu(cpus, [&](int cpu) {
    if (cpu != last + 1) {
      end_range();
      first = cpu;
    }
    last = cpu;
  });
  end_range();
  return text;
}

std::optional<CpuSet> parse_cpu_list(std::string_view text) {
  CpuSet cpus;
  if (text.empty())
    return cpus;
  const char *p = text.data();
  const char *const end = p + text.size();
  for (;;) {
    int first = -1;
    auto number = std::from_chars(p, end, first);
    int last = first;
    if (number.ec == std::errc() && number.ptr != end && *number.ptr == '-')
      number = std::from_chars(number.ptr + 1, end, last);
    if (number.ec != std::errc() || first < 0 || last < first || last >= kMostCpus)
      return {};
    for (int cpu = first; cpu <= last; cpu++)
      cpus.set(cpu);
    if (number.ptr == end)
      return cpus;
    if (*number.ptr != ',')
      return {};
    p = number.ptr + 1;
  }
}

} // namespace coord
