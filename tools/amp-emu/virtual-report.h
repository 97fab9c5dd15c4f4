// SPDX-License-Identifier: GPL-3.0-or-later
// What the virtual-time library reports at the end of a process, read, completed and printed.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace amp {

struct VirtualReports {
  // One object for each process that ran a parallel region, in the order in which they ended: the
  // library's figures (virtual nanoseconds) and, computed from them, "share" = bound / makespan,
  // also of the parallel part, and "busy_percent" of each class.
  nlohmann::ordered_json processes = nlohmann::ordered_json::array();
  int unreadable = 0; // lines that were not such an object, as of a process killed meanwhile
};

// Reads what the processes of one run wrote to GOMP_AMP_VIRTUAL_REPORT: a JSON object a line.
VirtualReports read_virtual_reports(const std::string &text);

// The figures of PROCESS, one of VirtualReports::processes, as several lines for a human.
std::string describe_process(const nlohmann::ordered_json &process);

} // namespace amp
