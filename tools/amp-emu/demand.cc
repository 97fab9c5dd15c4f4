// SPDX-License-Identifier: GPL-3.0-or-later
// Reads files of demands.
#include "amp-emu/demand.h"

#include "amp-emu/number.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <stdexcept>

namespace amp {

namespace {

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

} // namespace amp
