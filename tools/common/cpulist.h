// SPDX-License-Identifier: GPL-3.0-or-later
// Lists of CPUs: in the kernel's format ("0-3,5"), and the lists of this machine.
#pragma once

#include <string>
#include <vector>

namespace amp {

// CPU numbers in ascending order, each once; below cpu_limit.
using CpuList = std::vector<int>;

constexpr int cpu_limit = 8192; // more than any Linux kernel is configured for

// Parses numbers and ascending ranges separated by commas. Throws std::invalid_argument, which says
// what is wrong, if TEXT has another form, is empty or names a CPU twice.
CpuList parse_cpu_list(const std::string &text);

// The shortest text that parse_cpu_list turns into LIST; empty for an empty LIST.
std::string format_cpu_list(const CpuList &list);

// Whether CPU is in LIST.
bool has(const CpuList &list, int cpu);

// The CPUs on which this process may run. Throws std::system_error.
CpuList allowed_cpus();

// Sets the affinity mask of this process to CPUS. Returns whether it could; if not, errno says why.
bool set_mask(const CpuList &cpus);

// The CPUs that are online. Throws std::invalid_argument if the kernel does not say.
CpuList online_cpus();

} // namespace amp
