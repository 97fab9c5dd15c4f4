// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzzes the reader of /sys: an input is a list of files, links, FIFOs and directories that becomes
// a real tree.

#include "hold.h"
#include "messages.h"
#include "oracle.h"
#include "scratch.h"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include <climits>
#include <sys/stat.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

constexpr unsigned cpus = 4;

const char *const ofCpu[] = {"cpu_capacity",
                             "acpi_cppc/highest_perf",
                             "cpufreq/cpuinfo_max_freq",
                             "topology/core_cpus_list",
                             "topology/thread_siblings_list",
                             "cache/index3/shared_cpu_list",
                             ""};
const char *const ofMachine[] = {"devices/cpu_core/cpus", "devices/cpu_atom/cpus",
                                 "devices/cpu_lowpower/cpus", "devices/system/cpu",
                                 "devices/cpu_atom"};

const fs::path &root() {
  static const Scratch scratch;
  static const fs::path path = scratch.path / "sys";
  return path;
}

fs::path node(unsigned which) {
  constexpr unsigned perCpu = std::size(ofCpu);
  which %= cpus * perCpu + std::size(ofMachine);
  if (which < cpus * perCpu)
    return root() / "devices/system/cpu" / ("cpu" + std::to_string(which / perCpu)) /
           ofCpu[which % perCpu];
  return root() / ofMachine[which - cpus * perCpu];
}

/// Make \p path what \p kind says; one that is there already stays.
void make(fs::path path, unsigned kind, const std::string &content) {
  std::error_code ignored;
  if (path.filename().empty())
    path = path.parent_path();
  fs::create_directories(path.parent_path(), ignored);
  if (fs::exists(fs::symlink_status(path, ignored)))
    return;
  switch (kind % 16) {
  case 0:
    fs::create_directory(path, ignored);
    break;
  case 1:
    mkfifo(path.c_str(), 0600);
    break;
  case 2:
    fs::create_symlink(path.filename(), path, ignored);
    break;
  case 3:
    fs::create_symlink("/dev/zero", path, ignored);
    break;
  case 4:
    // Points at another file of the tree, or at none.
    fs::create_symlink(node(content.empty() ? 0 : content[0]), path, ignored);
    break;
  case 5:
    std::ofstream(path) << content;
    chmod(path.c_str(), 0);
    break;
  case 6:
    for (int i = 0; i < 300; i++)
      std::ofstream(path, std::ios::app) << content;
    break;
  default:
    std::ofstream(path) << content;
  }
}

/// The whole text of the regular file \p path; none if it is not one.
std::optional<std::string> text(const fs::path &path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
    return {};
  std::ifstream stream(path);
  if (!stream)
    return {};
  std::ostringstream out;
  out << stream.rdbuf();
  return out.str();
}

unsigned long number(unsigned cpu, const char *name) {
  const auto content = text(root() / "devices/system/cpu" / ("cpu" + std::to_string(cpu)) / name);
  if (!content || (!content->empty() && oracle::blank(content->front())) || content->size() > 30)
    return 0;
  return oracle::number(oracle::trim(*content), ULONG_MAX).value_or(0);
}

/// The number of each CPU in the file \p name, if all of \p mask have one.
std::optional<std::vector<unsigned long>> numbers(const char *name, const std::vector<bool> &mask) {
  std::vector<unsigned long> values(cpus);
  for (unsigned cpu = 0; cpu < cpus; cpu++) {
    values[cpu] = number(cpu, name);
    if (mask[cpu] && values[cpu] == 0)
      return {};
  }
  return values;
}

std::set<unsigned> unit(const char *name) {
  const auto content = text(root() / "devices" / name / "cpus");
  if (!content || content->size() > 4094 || content->find('\0') != std::string::npos)
    return {};
  return oracle::cpus(*content, cpus).value_or(std::set<unsigned>());
}

bool units(const std::vector<bool> &mask) {
  const auto core = unit("cpu_core"), atom = unit("cpu_atom"), low = unit("cpu_lowpower");
  bool all = !core.empty() && !atom.empty();
  for (unsigned cpu = 0; cpu < cpus; cpu++)
    all &= !mask[cpu] || core.count(cpu) + atom.count(cpu) + low.count(cpu) > 0;
  return all;
}

void hold(const struct gomp_amp_machine &machine, const std::vector<bool> &mask) {
  std::vector<unsigned long> values(cpus);
  const char *source = "none";
  bool capacities = false;
  if (const auto capacity = numbers("cpu_capacity", mask)) {
    source = "cpu_capacity";
    values = *capacity;
    capacities = true;
  } else if (units(mask)) {
    source = "cpu_core/cpu_atom";
  } else if (const auto perf = numbers("acpi_cppc/highest_perf", mask)) {
    source = "acpi_cppc";
    values = *perf;
  } else if (const auto frequency = numbers("cpufreq/cpuinfo_max_freq", mask)) {
    source = "cpuinfo_max_freq";
    values = *frequency;
  }
  HOLD(machine.source == std::string(source));
  oracle::holdMachine(machine, values, capacities);
  oracle::holdAllotment(machine, mask);
}

} // namespace

// The first byte: the CPUs that the process may use. Then for each node: which, of what kind, the
// length of its content, the content.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  std::vector<bool> mask(cpus);
  const std::unique_ptr<bool[]> inMask(new bool[cpus]);
  for (unsigned cpu = 0; cpu < cpus; cpu++)
    mask[cpu] = inMask[cpu] = data[0] % 16 == 0 || (data[0] >> cpu & 1) != 0;
  for (size_t at = 1; at + 3 <= size;) {
    const size_t length = std::min<size_t>(data[at + 2], size - at - 3);
    make(node(data[at]), data[at + 1], std::string(data + at + 3, data + at + 3 + length));
    at += 3 + length;
  }

  const std::string path = root();
  struct gomp_amp_machine *machine =
      gomp_amp_detect(path.c_str(), "/nonexistent", cpus, inMask.get(), true);
  HOLD(machine != nullptr);
  HOLD(takeMessages().size() == (gomp_amp_sysfs_root_p(path.c_str()) ? 0 : 1));
  // A root that is none is not looked into; the list of units then is that of no machine.
  if (gomp_amp_sysfs_root_p(path.c_str()))
    hold(*machine, mask);
  else
    HOLD(machine->source == std::string("none"));
  free(machine);
  std::error_code ignored;
  fs::remove_all(root(), ignored);
  return 0;
}
