// SPDX-License-Identifier: GPL-3.0-or-later
#include "ampctl/status.h"

#include "core/registry.h"

#include <algorithm>
#include <iomanip>
#include <map>
#include <sstream>

namespace amp {

// Of how many programs INPUT is known.
static std::size_t known_of(const nlohmann::json &status, coord::Input input) {
  return static_cast<std::size_t>(
      std::ranges::count_if(status["programs"], [&](const nlohmann::json &each) {
        return std::ranges::count(each["known"], coord::input_row(input).key) > 0;
      }));
}

std::string text_of_status(const nlohmann::json &status) {
  static const std::map<std::string, const char *> reasons = {
#define REASON(identifier, key, text) {key, text},
#include "linux/reasons.def"
  };
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << "policy " << status["policy"].get<std::string>()
       << " on " << status["machine"].get<std::string>() << ", classes from "
       << status["classes_from"].get<std::string>() << "\n\n";
  if (status["programs"].empty())
    return text.str() + "no programs; see ampctl run --help\n";
  text << std::setw(8) << "pid"
       << "  " << std::left << std::setw(16) << "name" << std::setw(12) << "CPUs" << std::right
       << std::setw(8) << "threads" << std::setw(8) << "for s" << std::setw(9) << "CPU s"
       << std::setw(8) << "fast %" << std::setw(8) << "factor"
       << "  why\n";
  for (const auto &each : status["programs"]) {
    double cpu_s = 0;
    for (const double of_class : each["cpu_s"])
      cpu_s += of_class;
    const double fast = each["cpu_s"].back();
    const std::string reason = each["reason"];
    const auto known = reasons.find(reason);
    text << std::setw(8) << each["pid"].get<int>() << "  " << std::left << std::setw(16)
         << each["name"].get<std::string>() << std::setw(12) << each["cpus"].get<std::string>()
         << std::right << std::setw(8) << each["threads"].get<int>() << std::setw(8)
         << each["since_s"].get<double>() << std::setw(9) << cpu_s << std::setw(8)
         << std::setprecision(0) << (cpu_s > 0 ? 100 * fast / cpu_s : 0) << std::setw(8)
         << std::setprecision(2);
    if (each["factors"].empty())
      text << '-';
    else
      text << each["factors"].back().get<double>();
    text << std::setprecision(1) << "  " << (known == reasons.end() ? reason : known->second)
         << '\n';
  }
  if (const coord::PolicyRow *const row = coord::find_policy(status["policy"].get<std::string>()))
    for (const coord::Input input : row->needs)
      if (known_of(status, input) < status["programs"].size())
        text << "\nNot known of all of them, so that the policy goes by the cores' capacities:\n  "
             << coord::input_row(input).meaning << '\n';
  return text.str();
}

std::string text_of_policies(const nlohmann::json &status) {
  std::ostringstream text;
  for (const coord::PolicyRow &row : coord::policies()) {
    text << (status["policy"] == row.name ? "* " : "  ") << std::left << std::setw(18) << row.name;
    if (!row.live)
      text << " ampsim's alone";
    else if (row.needs.empty())
      text << " needs nothing but CPU times";
    for (const coord::Input input : row.needs) {
      text << (row.live ? " needs " : "; it goes by ") << coord::input_row(input).key;
      if (row.live)
        text << ", known of " << known_of(status, input) << " of " << status["programs"].size()
             << " programs";
    }
    text << '\n';
  }
  return text.str();
}

} // namespace amp
