// SPDX-License-Identifier: GPL-3.0-or-later
// Reads, completes and prints what the virtual-time library reports at the end of a process.
#pragma once

#include "amp-emu/power.h"

#include <nlohmann/json.hpp>
#include <string>

namespace amp {

struct VirtualReports {
  // One object for each process that ran a parallel region, in the order in which they ended. It
  // has the library's figures (virtual nanoseconds) and those that are computed from them: "share"
  // = bound / makespan, also of the parallel part, "busy_percent" of each class, and what
  // add_energy adds.
  nlohmann::ordered_json processes = nlohmann::ordered_json::array();
  int unreadable = 0; // lines that are not such an object, for example of a killed process
};

// Reads what the processes of one run wrote to GOMP_AMP_VIRTUAL_REPORT, a JSON object on each line.
// CHIP is what their machine is of.
VirtualReports read_virtual_reports(const std::string &text, const ChipPower &chip);

// The figures of PROCESS, one of VirtualReports::processes, as several lines of text.
std::string describe_process(const nlohmann::ordered_json &process);

} // namespace amp
