// SPDX-License-Identifier: GPL-3.0-or-later
// Reads and writes lists of CPUs.
#include "common/cpulist.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <memory>
#include <sched.h>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace amp {

static int parse_cpu(std::string_view text, const std::string &list) {
  int cpu = -1;
  const char *const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, cpu);
  if (error == std::errc::result_out_of_range || cpu >= cpu_limit)
    throw std::invalid_argument("'" + list + "': CPU numbers end at " +
                                std::to_string(cpu_limit - 1));
  if (error != std::errc() || rest != end || cpu < 0)
    throw std::invalid_argument("'" + list +
                                "' is not a list of CPUs and ranges such as 1 or 0-3,5");
  return cpu;
}

CpuList parse_cpu_list(const std::string &text) {
  CpuList list;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view item(text.data() + begin, end - begin);
    const std::size_t dash = item.find('-');
    const int first = parse_cpu(item.substr(0, dash), text);
    const int last = dash == item.npos ? first : parse_cpu(item.substr(dash + 1), text);
    if (last < first)
      throw std::invalid_argument("'" + text + "': the range " + std::string(item) +
                                  " is descending");
    for (int cpu = first; cpu <= last; ++cpu)
      list.push_back(cpu);
    begin = end + 1;
  }
  std::sort(list.begin(), list.end());
  if (const auto twice = std::adjacent_find(list.begin(), list.end()); twice != list.end())
    throw std::invalid_argument("'" + text + "' names CPU " + std::to_string(*twice) + " twice");
  return list;
}

std::string format_cpu_list(const CpuList &list) {
  std::string text;
  for (auto first = list.begin(); first != list.end();) {
    auto last = first;
    while (last + 1 != list.end() && last[1] == *last + 1)
      ++last;
    text += (text.empty() ? "" : ",") + std::to_string(*first);
    if (last != first)
      text += "-" + std::to_string(*last);
    first = last + 1;
  }
  return text;
}

bool has(const CpuList &list, int cpu) { return std::binary_search(list.begin(), list.end(), cpu); }

CpuList allowed_cpus() {
  const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t *)> set(
      CPU_ALLOC(cpu_limit), [](cpu_set_t *allocated) { CPU_FREE(allocated); });
  const std::size_t size = CPU_ALLOC_SIZE(cpu_limit);
  if (!set || sched_getaffinity(0, size, set.get()) != 0)
    throw std::system_error(errno, std::generic_category(), "sched_getaffinity");
  CpuList list;
  for (int cpu = 0; cpu < cpu_limit; ++cpu)
    if (CPU_ISSET_S(cpu, size, set.get()))
      list.push_back(cpu);
  return list;
}

bool set_mask(const CpuList &cpus) {
  const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t *)> set(
      CPU_ALLOC(cpu_limit), [](cpu_set_t *allocated) { CPU_FREE(allocated); });
  const std::size_t size = CPU_ALLOC_SIZE(cpu_limit);
  if (!set)
    return false;
  CPU_ZERO_S(size, set.get());
  for (const int cpu : cpus)
    CPU_SET_S(cpu, size, set.get());
  return sched_setaffinity(0, size, set.get()) == 0;
}

CpuList online_cpus() {
  std::string text;
  std::getline(std::ifstream("/sys/devices/system/cpu/online"), text);
  return parse_cpu_list(text);
}

} // namespace amp
