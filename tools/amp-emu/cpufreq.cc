// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the kernel's cpufreq files and computes caps.
#include "amp-emu/cpufreq.h"

#include "common/command.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace amp {

namespace {

std::string cpu_directory(const std::string &sysfs, int cpu) {
  return sysfs + "/devices/system/cpu/cpu" + std::to_string(cpu);
}

std::optional<std::string> first_line(const std::string &file) {
  std::string line;
  if (!std::getline(std::ifstream(file), line))
    return std::nullopt;
  return line;
}

std::optional<Kilohertz> number_in(const std::string &file) {
  std::istringstream text(first_line(file).value_or(""));
  Kilohertz value;
  if (!(text >> value) || value <= 0 || !(text >> std::ws).eof())
    return std::nullopt;
  return value;
}

Kilohertz frequency_in(const std::string &file) {
  const std::optional<Kilohertz> value = number_in(file);
  if (!value)
    throw Failure("cpufreq: " + file + " cannot be read, or is not a frequency in kHz (" +
                  first_line(file).value_or("nothing") + "); nothing was run");
  return *value;
}

// A list of CPUs separated by blanks, as in the files of a policy.
CpuList cpus_in(const std::string &file) {
  std::istringstream text(first_line(file).value_or(""));
  CpuList list;
  for (int cpu; text >> cpu;)
    list.push_back(cpu);
  std::sort(list.begin(), list.end());
  return list;
}

Kilohertz frequency(const Policy &policy, CapUnit unit, double value) {
  const auto highest = static_cast<double>(policy.highest);
  switch (unit) {
  case CapUnit::percent:
    return std::llround(highest * value / 100);
  case CapUnit::factor:
    return std::llround(highest / value);
  case CapUnit::khz:
    break;
  }
  return std::llround(value);
}

} // namespace

CpuList online_cpus_in(const std::string &sysfs) {
  const std::string file = sysfs + "/devices/system/cpu/online";
  try {
    return parse_cpu_list(first_line(file).value_or(""));
  } catch (const std::invalid_argument &error) {
    throw Failure("cpufreq: " + file + ": " + error.what() + "; nothing was run");
  }
}

Policy read_policy(const std::string &sysfs, int cpu) {
  const std::string path = cpu_directory(sysfs, cpu) + "/cpufreq";
  std::error_code error;
  const std::filesystem::path directory = std::filesystem::canonical(path, error);
  if (error)
    throw Failure("cpufreq: " + path + ": " + error.message() +
                  ": frequencies cannot be set here, as in most virtual machines (amp-emu steal "
                  "does without them); nothing was run");
  Policy policy;
  policy.directory = directory.string();
  const std::string prefix = policy.directory + "/";
  policy.lowest = frequency_in(prefix + "cpuinfo_min_freq");
  policy.highest = frequency_in(prefix + "cpuinfo_max_freq");
  policy.minimum = frequency_in(prefix + "scaling_min_freq");
  policy.maximum = frequency_in(prefix + "scaling_max_freq");
  policy.cpus = cpus_in(prefix + "affected_cpus"); // the online CPUs of related_cpus
  if (!has(policy.cpus, cpu))
    throw Failure("cpufreq: " + prefix + "affected_cpus does not name CPU " + std::to_string(cpu) +
                  "; nothing was run");
  return policy;
}

Cap cap_of(const Policy &policy, CapUnit unit, double value) {
  const Kilohertz asked = frequency(policy, unit, value);
  return {policy, asked, std::min(std::max(asked, policy.lowest), policy.maximum)};
}

std::vector<Cap> read_caps(const std::string &sysfs, const std::vector<Group> &groups,
                           CapUnit unit) {
  std::vector<Cap> caps;
  for (const Group &group : groups) {
    CpuList done;
    for (const int cpu : group.cpus) {
      if (has(done, cpu))
        continue;
      const Policy policy = read_policy(sysfs, cpu);
      if (!std::includes(group.cpus.begin(), group.cpus.end(), policy.cpus.begin(),
                         policy.cpus.end()))
        throw Failure("cpufreq: --small " + format_cpu_list(group.cpus) + ": CPU " +
                      std::to_string(cpu) + " has one frequency with all of CPUs " +
                      format_cpu_list(policy.cpus) + " (" + policy.directory +
                      "): name them together; nothing was run");
      done.insert(done.end(), policy.cpus.begin(), policy.cpus.end());
      std::sort(done.begin(), done.end());
      caps.push_back(cap_of(policy, unit, group.value));
    }
  }
  return caps;
}

std::vector<Setting> settings_of(const std::vector<Cap> &caps) {
  std::vector<Setting> settings;
  for (const Cap &cap : caps) {
    const std::string prefix = cap.policy.directory + "/scaling_";
    if (cap.khz < cap.policy.minimum)
      settings.push_back(
          {prefix + "min_freq", std::to_string(cap.policy.minimum), std::to_string(cap.khz)});
    if (cap.khz != cap.policy.maximum)
      settings.push_back(
          {prefix + "max_freq", std::to_string(cap.policy.maximum), std::to_string(cap.khz)});
  }
  return settings;
}

std::vector<CpuSpeed> speeds_in(const std::string &sysfs, const CpuList &cpus) {
  const bool capacities = std::all_of(cpus.begin(), cpus.end(), [&](int cpu) {
    return number_in(cpu_directory(sysfs, cpu) + "/cpu_capacity").has_value();
  });
  std::vector<CpuSpeed> speeds;
  for (const int cpu : cpus) {
    const Policy policy = read_policy(sysfs, cpu);
    const auto highest = static_cast<double>(policy.highest);
    const double whole =
        capacities ? static_cast<double>(*number_in(cpu_directory(sysfs, cpu) + "/cpu_capacity"))
                   : highest;
    speeds.push_back({cpu, highest / (whole * static_cast<double>(policy.maximum))});
  }
  return relative_to_fastest(speeds);
}

} // namespace amp
