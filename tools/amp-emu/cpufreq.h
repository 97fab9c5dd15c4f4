// SPDX-License-Identifier: GPL-3.0-or-later
// The data of the kernel's cpufreq files under /sys, and the caps that follow from them.
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
  percent, // of the CPU's highest frequency, cpuinfo_max_freq
  factor   // the highest frequency divided by this
};

// CPUs that share one frequency.
struct Policy {
  std::string directory;      // without symbolic links
  CpuList cpus;               // the online CPUs
  Kilohertz lowest, highest;  // the hardware's limits, cpuinfo_{min,max}_freq
  Kilohertz minimum, maximum; // the limits that are set, scaling_{min,max}_freq
};

// A policy and its new cap.
struct Cap {
  Policy policy;
  Kilohertz asked, khz; // khz is ASKED within the possible range
};

// The CPUs online in SYSFS, a directory like /sys. Throws Failure.
CpuList online_cpus_in(const std::string &sysfs);

// The policy of CPU in SYSFS. Throws Failure, which names the missing file.
Policy read_policy(const std::string &sysfs, int cpu);

// The cap of POLICY for VALUE in UNIT: at least the hardware's lowest frequency, at most the
// maximum that is set.
Cap cap_of(const Policy &policy, CapUnit unit, double value);

// The caps of GROUPS, whose values are in UNIT; one for each policy. Throws Failure if a group has
// only part of a policy's CPUs.
std::vector<Cap> read_caps(const std::string &sysfs, const std::vector<Group> &groups,
                           CapUnit unit);

// The settings for CAPS, to be written in this order: a minimum above the cap is lowered first.
std::vector<Setting> settings_of(const std::vector<Cap> &caps);

// The speeds of CPUS in SYSFS with the frequencies that are set, relative to the fastest of them.
// The speed is the kernel's cpu_capacity (or else the highest frequency) times the part of the
// highest frequency that is permitted. Throws Failure.
std::vector<CpuSpeed> speeds_in(const std::string &sysfs, const CpuList &cpus);

} // namespace amp
