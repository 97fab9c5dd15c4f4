// SPDX-License-Identifier: GPL-3.0-or-later
// Measures the cost of one removal of iterations from a loop's pool on this machine.
#pragma once

#include "common/cpulist.h"

namespace amp {

// Returns for how many nanoseconds, at least 1, one atomic addition to a variable holds its cache
// line, so that the next addition has to wait. Threads on the first and the last of CPUS add to it
// as fast as they can. CPUS should be the CPUs that this process may use. With a single CPU there
// is no such contention, and the result is the time of an addition. Takes 5 to 50 ms. Throws
// std::system_error if threads cannot be started or put on their CPUs.
int measure_removal_ns(const CpuList &cpus);

} // namespace amp
