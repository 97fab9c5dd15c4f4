// SPDX-License-Identifier: GPL-3.0-or-later
#include "linux/chip.h"

extern "C" {
#include "base/message.h"
#include "machine/machine-source.h"
}

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>

namespace coord {

// What the runtime's files have said of the user's classes.
static std::string complaint;

} // namespace coord

extern "C" void gomp_amp_option_error(const char *, const char *value, const char *detail,
                                      const char *) {
  coord::complaint = std::string("'") + value + "': " + (detail ? detail : "") +
                     (detail ? "; " : "") +
                     "expected CPUS=CAPACITY for all CPUs, as in 0-3=1024,4-7=446";
}
extern "C" void(gomp_debug)(int, const char *, ...) {}

namespace coord {

namespace {

// The clock of the fastest class where no file has it. Only ratios of clocks matter to most
// policies.
constexpr double kUnknownGhz = 3;
// The CPUs of a kernel that does not say which it has.
constexpr const char *kPossible = "0-255";
// Of classes of which only the order is known each has this part of the next one's speed at the
// same clock: as Alder Lake's E cores.
constexpr double kNextSlower = 0.6;

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

struct Free {
  void operator()(struct gomp_amp_machine *machine) const { std::free(machine); }
};
using RuntimeMachine = std::unique_ptr<struct gomp_amp_machine, Free>;

RuntimeMachine ask_runtime(const Files &files, const CpuSet &allowed, const std::string &classes) {
  // Which CPUs form a class does not depend on those that may be used.
  const std::string possible = files.line("system/cpu/possible");
  const CpuSet all =
      allowed | parse_cpu_list(possible.empty() ? kPossible : possible).value_or(CpuSet());
  unsigned count = 0;
  for_each_cpu(all, [&](int cpu) { count = static_cast<unsigned>(cpu) + 1; });
  const std::unique_ptr<bool[]> in_mask(new bool[count]());
  for_each_cpu(allowed, [&](int cpu) { in_mask[cpu] = true; });
  complaint.clear();
  RuntimeMachine machine(gomp_amp_detect(classes.empty() ? nullptr : classes.c_str(),
                                         files.root.c_str(), count, in_mask.get(), true));
  if (!machine)
    throw std::bad_alloc();
  if (!complaint.empty())
    throw std::invalid_argument(complaint);
  return machine;
}

// Adds those classes of RUNTIME, slowest first, of which ALLOWED has a CPU.
void add_classes(Chip &chip, const Files &files, const struct gomp_amp_machine &runtime,
                 const CpuSet &allowed) {
  std::vector<double> speed(runtime.count), mhz(runtime.count);
  std::vector<CpuSet> members(runtime.count);
  double most_mhz = 0;
  for_each_cpu(allowed, [&](int cpu) {
    const unsigned c = runtime.class_of_cpu[cpu];
    members[c].set(cpu);
    mhz[c] = std::max(mhz[c], files.cpu_number(cpu, "cpufreq/cpuinfo_max_freq") / 1e3);
    most_mhz = std::max(most_mhz, mhz[c]);
  });
  for (int c = static_cast<int>(runtime.count) - 1; c >= 0; c--) {
    const bool fastest = c + 1 == static_cast<int>(runtime.count);
    speed[c] = runtime.capacity[c] ? runtime.capacity[c]
               : fastest           ? 1024
                                   : kNextSlower * speed[c + 1];
    if (!runtime.capacity[c] && !fastest && mhz[c] > 0 && mhz[c + 1] > 0)
      speed[c] *= mhz[c] / mhz[c + 1];
  }
  chip.source = runtime.source;
  chip.runtime_classes = static_cast<int>(runtime.count);
  double fastest = 0;
  for (unsigned c = 0; c < runtime.count; c++)
    if (members[c].any()) {
      chip.runtime_class.push_back(static_cast<int>(c));
      chip.class_cpus.push_back(members[c]);
      chip.machine.classes.push_back({speed[c], 0});
      fastest = speed[c];
    }
  for (CoreClass &each : chip.machine.classes)
    each.ghz *= (most_mhz > 0 ? most_mhz / 1e3 : kUnknownGhz) / fastest;
}

// A sibling of a CPU before it is no core of its own, unless the user says that they differ. True:
// CPU is one, and belongs to its core now.
bool join_sibling(Chip &chip, const Files &files, int cpu, int core_class) {
  std::string list = files.cpu_line(cpu, "topology/core_cpus_list");
  if (list.empty())
    list = files.cpu_line(cpu, "topology/thread_siblings_list");
  const auto siblings = parse_cpu_list(list);
  for (std::size_t core = 0; siblings && core < chip.cpus.size(); core++)
    if ((chip.cpus[core] & *siblings).any() && chip.machine.cores[core].core_class == core_class) {
      chip.cpus[core].set(cpu);
      return true;
    }
  return false;
}

} // namespace

int Chip::core_of(int cpu) const {
  for (std::size_t core = 0; core < cpus.size(); core++)
    if (cpu >= 0 && cpu < kMostCpus && cpus[core][cpu])
      return static_cast<int>(core);
  return -1;
}

std::vector<double> Chip::factors(const std::vector<double> &measured) const {
  std::vector<double> found;
  if (static_cast<int>(measured.size()) == runtime_classes)
    for (const int c : runtime_class)
      found.push_back(measured[c] / measured[runtime_class[0]]);
  return found;
}

Chip read_chip(const std::string &root, const CpuSet &allowed, const std::string &classes) {
  const Files files{root};
  Chip chip;
  chip.all = allowed & ~parse_cpu_list(files.line("system/cpu/isolated")).value_or(CpuSet());
  if (chip.all.none())
    chip.all = allowed;
  add_classes(chip, files, *ask_runtime(files, chip.all, classes), chip.all);
  for_each_cpu(chip.all, [&](int cpu) {
    int c = 0;
    while (!chip.class_cpus[c][cpu])
      c++;
    if (join_sibling(chip, files, cpu, c))
      return;
    chip.machine.classes[c].cores++;
    chip.machine.cores.push_back({c, 0});
    chip.cpus.emplace_back().set(cpu);
  });
  return chip;
}

} // namespace coord
