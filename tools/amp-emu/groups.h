// SPDX-License-Identifier: GPL-3.0-or-later
// The groups of CPUs to slow that a command line names, each with its value.
#pragma once

#include "common/cpulist.h"

#include <string>
#include <vector>

namespace amp {

// The CPUs of one --small and its value.
struct Group {
  CpuList cpus;
  double value;
};

// Pairs the lists SMALL with FACTORS, the values of --sf: one for all, or one for each. Throws
// amp::Failure if they do not match, if a list is invalid, or if a CPU is named twice or is not in
// ONLINE.
std::vector<Group> read_groups(const std::vector<std::string> &small,
                               const std::vector<double> &factors, const CpuList &online);

// VALUE with two digits after the point, for reports and messages.
std::string fixed(double value);

} // namespace amp
