// SPDX-License-Identifier: GPL-3.0-or-later
// Reads files of demands, and has perf measure one.
#include "amp-emu/demand.h"

#include "amp-emu/memory-file.h"
#include "amp-emu/number.h"
#include "common/child.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

namespace amp {

namespace {

constexpr double line_bytes = 64;
// The least factor that the library reads. It takes such a demand for none.
constexpr double no_demand = 1e-6;

double parse_demand(int number, const std::string &text) {
  double demand = 0;
  if (!read_number(text, decimal_fraction, demand) || demand > max_demand)
    throw std::invalid_argument(std::to_string(number) + ": '" + text +
                                "' is not a demand in GB/s, 0 to " + format_decimal(max_demand));
  return demand;
}

} // namespace

Demands parse_demands(const std::string &text) {
  Demands demands;
  std::set<std::string> seen;
  std::istringstream stream(text);
  int number = 0;
  for (std::string content; std::getline(stream, content);) {
    ++number;
    content.resize(std::min(content.find('#'), content.size()));
    std::istringstream words(content);
    std::string site, value, more;
    if (!(words >> site))
      continue;
    words >> value;
    if (words >> more)
      throw std::invalid_argument(std::to_string(number) + ": '" + more +
                                  "' follows the demand; expected a place and its GB/s");
    if (!seen.insert(site).second)
      throw std::invalid_argument(std::to_string(number) + ": '" + site + "' has a line already");
    const double demand = parse_demand(number, value);
    if (site == "program") {
      demands.program = demand;
      continue;
    }
    LoopFactors line = parse_loop_site(number, site);
    line.factors.emplace(0, std::max(demand, no_demand));
    demands.loops.push_back(std::move(line));
  }
  return demands;
}

double read_perf(const std::string &text) {
  std::map<std::string, std::string> counts;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string count, unit, event;
    std::getline(fields, count, ',');
    std::getline(fields, unit, ',');
    std::getline(fields, event, ',');
    counts[event.substr(0, event.find(':'))] = count;
  }
  const auto value = [&](const char *event) {
    double number = 0;
    const std::string &count = counts[event];
    if (!read_number(count, decimal_fraction, number))
      throw std::invalid_argument(std::string("perf counts no ") + event + " here" +
                                  (count.empty() ? "" : " (" + count + ")"));
    return number;
  };
  const double bytes = value("cache-misses") * line_bytes, ms = value("task-clock");
  if (ms == 0)
    throw std::invalid_argument("perf saw CMD use no CPU time");
  return bytes / (ms * 1e6);
}

double measure_demand(const Command &command) {
  const std::string instead = "; nothing was run on the virtual machine; give --demand FILE";
  std::string perf;
  try {
    perf = find_program("perf");
  } catch (const Failure &) {
    throw Failure("virtual: --demand-by-perf: there is no perf in PATH" + instead);
  }
  const MemoryFile counts("amp-emu-perf");
  Command measured = {"perf", "stat", "-x,", "-o", counts.path(), "-e", "cache-misses,task-clock",
                      "--"};
  measured.insert(measured.end(), command.begin(), command.end());
  const char *const threads = std::getenv("OMP_NUM_THREADS");
  const std::string before = threads ? threads : "";
  setenv("OMP_NUM_THREADS", "1", 1);
  const int status = run_child(perf, measured);
  if (threads)
    setenv("OMP_NUM_THREADS", before.c_str(), 1);
  else
    unsetenv("OMP_NUM_THREADS");
  if (status != 0)
    throw Failure("virtual: --demand-by-perf: CMD under perf ended with status " +
                  std::to_string(status) + instead);
  try {
    return read_perf(counts.content());
  } catch (const std::invalid_argument &error) {
    throw Failure(std::string("virtual: --demand-by-perf: ") + error.what() + instead);
  }
}

} // namespace amp
