// SPDX-License-Identifier: GPL-3.0-or-later
#include "linux/chip.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>

namespace coord {

namespace {

// The clock of the fastest class where no file has it. Only ratios of clocks matter to most
// policies.
constexpr double kUnknownGhz = 3;
// Frequencies of cores of one kind differ by turbo bins: up to 10 % is one class.
constexpr double kAlike = 0.9;

struct Files {
  std::string root;

  std::string line(const std::string &path) const {
    std::ifstream file(root + "/devices/" + path);
    std::string text;
    std::getline(file, text);
    return text;
  }
  std::string cpu_line(int cpu, const std::string &name) const {
    return line("system/cpu/cpu" + std::to_string(cpu) + "/" + name);
  }
  // 0: not known.
  double cpu_number(int cpu, const std::string &name) const {
    const std::string text = cpu_line(cpu, name);
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }
};

using Values = std::map<int, double>; // of each CPU

std::optional<Values> numbers(const Files &files, const CpuSet &cpus, const char *name) {
  Values values;
  bool known = true;
  for_each_cpu(cpus, [&](int cpu) {
    values[cpu] = files.cpu_number(cpu, name);
    known = known && values[cpu] > 0;
  });
  return known ? std::optional(values) : std::nullopt;
}

// Makes values that differ by turbo bins equal: sorted, each belongs to the class of the next one
// above it if that is near.
void merge_alike(Values &values) {
  std::vector<double> sorted;
  for (const auto &[cpu, value] : values)
    sorted.push_back(value);
  std::ranges::sort(sorted, std::greater());
  std::map<double, double> top;
  for (std::size_t i = 0; i < sorted.size(); i++)
    top[sorted[i]] =
        i > 0 && sorted[i] >= kAlike * top[sorted[i - 1]] ? top[sorted[i - 1]] : sorted[i];
  for (auto &[cpu, value] : values)
    value = top[value];
}

// Hybrid x86: each type of core has a performance monitoring unit of its own. Without frequencies
// what is known is the order; the capacities are those of Alder Lake.
std::optional<Values> by_pmu(const Files &files, const CpuSet &cpus,
                             const std::optional<Values> &frequencies) {
  Values values;
  for (const auto &[unit, capacity] : {std::pair("cpu_core", 1024.0), std::pair("cpu_atom", 620.0),
                                       std::pair("cpu_lowpower", 350.0)})
    if (const auto members = parse_cpu_list(files.line(std::string(unit) + "/cpus")))
      for_each_cpu(*members & cpus, [&, c = capacity](int cpu) { values[cpu] = c; });
  if (values.size() != cpus.count())
    return {};
  if (frequencies)
    for (auto &[cpu, value] : values)
      value *= frequencies->at(cpu);
  return values;
}

Values given(std::string_view text, const CpuSet &cpus) {
  const auto refuse = [&] {
    throw std::invalid_argument("'" + std::string(text) +
                                "': expected CPUS=CAPACITY for all CPUs, as in 0-3=1024,4-7=446");
  };
  // A list of CPUs has commas of its own: a number behind "=" ends it.
  Values values;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t equals = text.find('=', from);
    if (equals == std::string_view::npos)
      refuse();
    const auto list = parse_cpu_list(text.substr(from, equals - from));
    std::size_t to = std::min(text.find(',', equals), text.size());
    int capacity = 0;
    const char *const end = text.data() + to;
    const auto number = std::from_chars(text.data() + equals + 1, end, capacity);
    if (!list || list->none() || number.ec != std::errc() || number.ptr != end || capacity < 1 ||
        capacity > 1'000'000)
      refuse();
    for_each_cpu(*list & cpus, [&](int cpu) { values[cpu] = capacity; });
    from = to + 1;
  }
  if (values.size() != cpus.count())
    refuse();
  return values;
}

// The index of the unified cache of the highest level of CPU; -1: none is known.
int last_level(const Files &files, int cpu) {
  int found = -1;
  double highest = 0;
  for (int index = 0; index < 8; index++) {
    const std::string cache = "cache/index" + std::to_string(index) + "/";
    const double level = files.cpu_number(cpu, cache + "level");
    if (level > highest && files.cpu_line(cpu, cache + "type") == "Unified") {
      highest = level;
      found = index;
    }
  }
  return found;
}

// How fast each of the ALLOWED CPUs is, next to the others, and where that is known from.
struct Speeds {
  Values values;
  std::string source;
};

// FREQUENCIES: what numbers() found of them.
Speeds speeds(const Files &files, const CpuSet &allowed, std::string_view classes,
              const std::optional<Values> &frequencies) {
  if (!classes.empty())
    return {given(classes, allowed), "given"};
  if (const auto values = numbers(files, allowed, "cpu_capacity"))
    return {*values, "cpu_capacity"};
  if (const auto values = by_pmu(files, allowed, frequencies))
    return {*values, "cpu_core/cpu_atom"};
  if (auto values = numbers(files, allowed, "acpi_cppc/highest_perf")) {
    merge_alike(*values);
    return {*values, "acpi_cppc"};
  }
  if (frequencies) {
    Values values = *frequencies;
    merge_alike(values);
    return {values, "cpuinfo_max_freq"};
  }
  Values values;
  for_each_cpu(allowed, [&](int cpu) { values[cpu] = 1; });
  return {values, "none: equal cores"};
}

using ClassOf = std::map<double, int>; // by the value of a CPU, slowest first

ClassOf add_classes(Chip &chip, const Values &values, const std::optional<Values> &frequencies) {
  double most = 0;
  ClassOf core_class;
  for (const auto &[cpu, value] : values) {
    most = std::max(most, value);
    core_class[value] = 0;
  }
  double ghz = 0;
  if (frequencies)
    for (const auto &[cpu, khz] : *frequencies)
      ghz = std::max(ghz, khz / 1e6);
  for (auto &[value, index] : core_class) {
    index = chip.machine.class_count();
    chip.machine.classes.push_back({value / most * (ghz > 0 ? ghz : kUnknownGhz), 0});
    chip.class_cpus.emplace_back();
  }
  return core_class;
}

// A sibling of a CPU before it is no core of its own, unless the user says that they differ. True:
// CPU is one, and belongs to its core now.
bool join_sibling(Chip &chip, const Files &files, int cpu, int core_class) {
  const auto siblings = parse_cpu_list(files.cpu_line(cpu, "topology/thread_siblings_list"));
  for (std::size_t core = 0; siblings && core < chip.cpus.size(); core++)
    if ((chip.cpus[core] & *siblings).any() && chip.machine.cores[core].core_class == core_class) {
      chip.cpus[core].set(cpu);
      return true;
    }
  return false;
}

using Llcs = std::map<std::string, int>; // by the CPUs that share it

// The index of CPU's last-level cache, which has one more core.
int add_to_llc(Chip &chip, Llcs &llcs, const Files &files, int cpu) {
  std::string shared = "all";
  Llc llc;
  if (const int index = last_level(files, cpu); index >= 0) {
    const std::string cache = "cache/index" + std::to_string(index) + "/";
    shared = files.cpu_line(cpu, cache + "shared_cpu_list");
    llc.bytes = files.cpu_number(cpu, cache + "size") * 1024; // "32768K"
    llc.ways = static_cast<int>(files.cpu_number(cpu, cache + "ways_of_associativity"));
  }
  const auto [known, added] = llcs.try_emplace(shared, static_cast<int>(llcs.size()));
  if (added)
    chip.machine.llcs.push_back(llc);
  chip.machine.llcs[known->second].cores++;
  return known->second;
}

} // namespace

int Chip::core_of(int cpu) const {
  for (std::size_t core = 0; core < cpus.size(); core++)
    if (cpu >= 0 && cpu < kMostCpus && cpus[core][cpu])
      return static_cast<int>(core);
  return -1;
}

Chip read_chip(const std::string &root, const CpuSet &allowed, std::string_view classes) {
  const Files files{root};
  Chip chip;
  chip.all = allowed;
  const std::optional<Values> frequencies = numbers(files, allowed, "cpufreq/cpuinfo_max_freq");
  const auto [values, source] = speeds(files, allowed, classes, frequencies);
  chip.source = source;
  const ClassOf core_class = add_classes(chip, values, frequencies);
  Llcs llcs;
  for_each_cpu(allowed, [&, &values = values](int cpu) {
    const int c = core_class.at(values.at(cpu));
    chip.class_cpus[c].set(cpu);
    if (join_sibling(chip, files, cpu, c))
      return;
    const int llc = add_to_llc(chip, llcs, files, cpu);
    chip.machine.classes[c].cores++;
    chip.machine.cores.push_back({c, llc});
    chip.cpus.emplace_back().set(cpu);
  });
  return chip;
}

} // namespace coord
