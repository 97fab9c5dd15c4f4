// SPDX-License-Identifier: GPL-3.0-or-later
// The groups of CPUs to slow that a command line names, each with how much.
#pragma once

#include "common/cpulist.h"

#include <string>
#include <vector>

namespace amp {

// The CPUs of one --small and the value that goes with it.
struct Group {
  CpuList cpus;
  double value;
};

// Pairs the lists SMALL with VALUES, which OPTION gave: one for all, or one for each. Throws
// amp::Failure, its message headed by SUBCOMMAND, if they do not match, if a list is not one, or if
// a CPU is named twice or is not one of ONLINE.
std::vector<Group> read_groups(const std::string &subcommand, const std::vector<std::string> &small,
                               const std::string &option, const std::vector<double> &values,
                               const CpuList &online);

// VALUE with two digits after the point, as reports and messages have it.
std::string fixed(double value);

} // namespace amp
