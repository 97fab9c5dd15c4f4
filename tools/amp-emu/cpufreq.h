// SPDX-License-Identifier: GPL-3.0-or-later
// What the kernel's cpufreq files under /sys say of a machine's CPUs, and the caps that follow.
#pragma once

#include "amp-emu/environment.h"
#include "amp-emu/groups.h"
#include "amp-emu/saved-settings.h"
#include "common/cpulist.h"

#include <string>
#include <vector>

namespace amp {

using Kilohertz = long long;

// How a cap is expressed.
enum class CapUnit {
  khz,     // the frequency itself
  percent, // of the highest that the CPU can have, cpuinfo_max_freq
  factor   // that highest divided by this
};

// CPUs that have one frequency together.
struct Policy {
  std::string directory;      // without symbolic links
  CpuList cpus;               // those online
  Kilohertz lowest, highest;  // what the hardware permits, cpuinfo_{min,max}_freq
  Kilohertz minimum, maximum; // what is set, scaling_{min,max}_freq
};

// A policy and the cap that it is to get.
struct Cap {
  Policy policy;
  Kilohertz asked, khz; // khz is what is possible of what was asked
};

// The CPUs online in SYSFS, a directory like /sys. Throws Failure.
CpuList online_cpus_in(const std::string &sysfs);

// The policy of CPU in SYSFS. Throws Failure, naming the file that lacks.
Policy read_policy(const std::string &sysfs, int cpu);

// The cap of POLICY, whose value in UNIT is VALUE: at least what the hardware can do, at most what
// is set.
Cap cap_of(const Policy &policy, CapUnit unit, double value);

// The caps of GROUPS, whose values are in UNIT; one a policy. Throws Failure where a group has part
// of a policy's CPUs only.
std::vector<Cap> read_caps(const std::string &sysfs, const std::vector<Group> &groups,
                           CapUnit unit);

// What to write, in this order, for CAPS to be in force: a minimum above the cap is lowered first.
std::vector<Setting> settings_of(const std::vector<Cap> &caps);

// How fast CPUS are in SYSFS with the frequencies now set, relative to the fastest of them: the
// kernel's cpu_capacity (or else the highest frequency) as far as the highest frequency is
// permitted. Throws Failure.
std::vector<CpuSpeed> speeds_in(const std::string &sysfs, const CpuList &cpus);

} // namespace amp
