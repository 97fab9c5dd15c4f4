// SPDX-License-Identifier: GPL-3.0-or-later
#include "ampctl/status.h"

#include "core/registry.h"

#include <iomanip>
#include <map>
#include <set>
#include <sstream>

namespace amp {

std::string text_of_status(const nlohmann::json &status) {
  static const std::map<std::string, const char *> reasons = {
#define REASON(identifier, key, text) {key, text},
#include "linux/reasons.def"
  };
  static const std::map<std::string, const char *> inputs = {
#define INPUT(identifier, key, meaning) {key, meaning},
#include "core/inputs.def"
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
  std::set<std::string> missing;
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
    for (const std::string input : each["missing"])
      missing.insert(input);
  }
  for (const std::string &input : missing) {
    const auto known = inputs.find(input);
    text << "\nNot known of all of them, so that the policy goes by the cores' capacities:\n  "
         << (known == inputs.end() ? input : known->second) << '\n';
  }
  return text.str();
}

} // namespace amp
