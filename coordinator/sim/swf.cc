// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/scenario-file.h"

#include <sstream>

namespace coord {

std::vector<SwfJob> read_swf(std::istream &file, const std::string &name) {
  std::vector<SwfJob> jobs;
  std::string line;
  for (int number = 1; std::getline(file, line); number++) {
    if (line.find_first_not_of(" \t\r") == std::string::npos ||
        line[line.find_first_not_of(" \t")] == ';')
      continue;
    // Job number, submit time, wait time, run time, processors, ten more fields of which the fourth
    // from here is the number of requested processors; -1 is not known.
    std::istringstream fields(line);
    double value[18];
    int count = 0;
    while (count < 18 && fields >> value[count])
      count++;
    const auto fail = [&](const std::string &what) {
      throw InputError(name + ":" + std::to_string(number) + ": " + what);
    };
    if (count < 18)
      fail("field " + std::to_string(count + 1) +
           ": expected 18 numbers, as the Standard Workload Format has them");
    const double processors = value[4] > 0 ? value[4] : value[7];
    if (value[1] < 0 || value[1] > 1e9)
      fail("submit time: " + std::to_string(value[1]) + ": expected 0 to 1e9 seconds");
    if (processors > 1e6)
      fail("processors: " + std::to_string(processors) + ": expected at most 1000000");
    if (value[3] >= 1 && processors >= 1)
      jobs.push_back({value[1], value[3], static_cast<int>(processors)});
  }
  if (jobs.empty())
    throw InputError(name +
                     ": no job that ran; expected at least one with a run time of 1 s or more");
  return jobs;
}

} // namespace coord
