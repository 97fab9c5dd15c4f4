// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzzes GOMP_AMP_TOPOLOGY's lists, the classes that follow from them, and lists of CPUs.

#include "hold.h"
#include "messages.h"
#include "oracle.h"

#include <cstdint>
#include <memory>

#include <strings.h>

extern "C" {
#include "base/cpulist.h"
}

namespace {

/// The capacity of each CPU that \p text, as CPUs=capacity,..., means for a process on \p mask.
/// \p absent: whether it has a range beyond the last CPU.
std::optional<std::vector<unsigned long>> capacities(const std::string &text,
                                                     const std::vector<bool> &mask, bool &absent) {
  std::vector<unsigned long> values(mask.size());
  std::map<unsigned long, unsigned long> ranges, open;
  for (const std::string &item : oracle::split(text, ',')) {
    const auto sides = oracle::split(item, '=');
    const auto range = oracle::range(sides[0]);
    if (!range || sides.size() > 2 || !open.emplace(range->first, range->second).second)
      return {};
    if (sides.size() == 1)
      continue;
    const auto capacity = oracle::number(oracle::trim(sides[1]), 1000000);
    if (!capacity || *capacity == 0)
      return {};
    for (const auto &[first, last] : open) {
      for (unsigned long cpu = first; cpu <= last && cpu < mask.size(); cpu++)
        values[cpu] = *capacity;
      if (!ranges.emplace(first, last).second)
        return {};
    }
    open.clear();
  }
  if (!open.empty())
    return {};
  for (auto each = ranges.begin(); std::next(each) != ranges.end(); ++each)
    if (std::next(each)->first <= each->second)
      return {};
  for (size_t cpu = 0; cpu < mask.size(); cpu++)
    if (mask[cpu] && values[cpu] == 0)
      return {};
  absent = std::prev(ranges.end())->first >= mask.size();
  return values;
}

void cpuList(const std::string &text, unsigned cpus) {
  const auto expected = oracle::cpus(text, cpus);
  // Of the very size, so that a CPU too many is seen.
  const std::unique_ptr<bool[]> member(new bool[cpus]());
  HOLD(gomp_amp_parse_cpulist(text.c_str(), member.get(), cpus) == expected.has_value());
  for (unsigned cpu = 0; expected && cpu < cpus; cpu++)
    HOLD(member[cpu] == (expected->count(cpu) != 0));
}

void topology(const std::string &text, const std::vector<bool> &mask) {
  // These ask for the machine that this happens to be.
  if (text.empty() || text[0] == '/' || strcasecmp(text.c_str(), "hwloc") == 0)
    return;
  const std::unique_ptr<bool[]> inMask(new bool[mask.size()]);
  std::copy(mask.begin(), mask.end(), inMask.get());
  struct gomp_amp_machine *machine =
      gomp_amp_detect(text.c_str(), "/nonexistent", mask.size(), inMask.get(), true);
  HOLD(machine != nullptr);
  const auto said = takeMessages();
  const bool off = strcasecmp(text.c_str(), "off") == 0;
  bool absent = false;
  const auto values = capacities(text, mask, absent);
  const std::vector<unsigned long> alike(mask.size(), 1);
  HOLD(said.size() == (off || (values && !absent) ? 0 : 1));
  HOLD(machine->source == std::string(off || values ? "GOMP_AMP_TOPOLOGY" : "none"));
  HOLD((machine->capacity[0] != 0) == values.has_value());
  oracle::holdMachine(*machine, values ? *values : alike, values.has_value());
  oracle::holdAllotment(*machine, mask);
  free(machine);
}

} // namespace

// The first byte: how many CPUs there are and what is parsed; the second: a pattern of those that
// the process may use.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2)
    return 0;
  const std::string text(std::string(data + 2, data + size).c_str());
  const unsigned cpus = 1 + data[0] % 128;
  std::vector<bool> mask(cpus);
  for (unsigned cpu = 0; cpu < cpus; cpu++)
    mask[cpu] = (data[1] >> cpu % 8 & 1) != 0;
  mask[data[1] % cpus] = true;
  if (data[0] >= 128)
    cpuList(text, cpus);
  else
    topology(oracle::trim(text), mask);
  return 0;
}
