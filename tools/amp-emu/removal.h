// SPDX-License-Identifier: GPL-3.0-or-later
// Measures what one removal of iterations from a loop's pool costs on this machine.
#pragma once

#include "common/cpulist.h"

namespace amp {

// Returns for how many nanoseconds, at least 1, one atomic addition to a variable holds its cache
// line, so that the next one has to wait: with threads on the first and the last of CPUS, which
// should be the ones this process may use, adding to it as fast as they can. With a single CPU
// there is no such contention, and it is the time that an addition takes. Takes 5 to 50 ms.
// Throws std::system_error if threads cannot be started or put on their CPUs.
int measure_removal_ns(const CpuList &cpus);

} // namespace amp
