// SPDX-License-Identifier: GPL-3.0-or-later
#include "ampd/request.h"

#include <algorithm>

namespace amp {

using coord::Refusal;
using nlohmann::json;

namespace {

constexpr std::size_t kMostName = 64;

double number(const json &value, const char *what, double least, double most) {
  if (!value.is_number() || !(value.get<double>() >= least && value.get<double>() <= most))
    throw Refusal(std::string(what) + ": expected a number from " + json(least).dump() + " to " +
                  json(most).dump());
  return value.get<double>();
}

std::vector<double> numbers(const json &value, const char *what, std::size_t count, double least,
                            double most) {
  if (!value.is_array() || value.size() != count)
    throw Refusal(std::string(what) + ": expected " + std::to_string(count) + " numbers");
  std::vector<double> found;
  for (const json &each : value)
    found.push_back(number(each, what, least, most));
  return found;
}

// What is shown on terminals has no control characters.
std::string name_of(const json &request) {
  if (!request.contains("name") || !request["name"].is_string())
    throw Refusal("name: expected a text");
  std::string name = request["name"].get<std::string>().substr(0, kMostName);
  for (char &each : name)
    if (static_cast<unsigned char>(each) < ' ' || each == 127)
      each = '?';
  return name;
}

} // namespace

json parse_request(const std::string &text) {
  json request = json::parse(text, nullptr, false);
  if (!request.is_object() || !request.contains("do") || !request["do"].is_string())
    throw Refusal("expected an object with the key do");
  return request;
}

coord::Newcomer newcomer_of(const json &request, const coord::Machine &machine) {
  coord::Newcomer newcomer;
  newcomer.name = name_of(request);
  if (request.contains("weight"))
    newcomer.weight = number(request["weight"], "weight", 0.01, 100);
  coord::Profile &profile = newcomer.profile;
  const std::size_t classes = machine.classes.size();
  if (request.contains("factors")) {
    profile.factors =
        numbers(request["factors"], "factors, the slowest class first", classes, 1.0 / 32, 32);
    const double slowest = profile.factors[0];
    for (double &factor : profile.factors)
      factor /= slowest;
  }
  return newcomer;
}

coord::Parameters parameters_of(const json &request) {
  coord::Parameters parameters;
  if (!request.contains("set"))
    return parameters;
  if (!request["set"].is_object())
    throw Refusal("set: expected an object of numbers");
  for (const auto &[name, value] : request["set"].items())
    parameters[name] = number(value, "set", -1e300, 1e300);
  return parameters;
}

json status_of(const coord::Manager &manager) {
  static constexpr const char *reasons[] = {
#define REASON(identifier, key, text) key,
#include "linux/reasons.def"
  };
  json programs = json::array();
  for (const coord::ProgramStatus &each : manager.status()) {
    json known = json::array();
    for (const coord::Input input : each.known)
      known.push_back(coord::input_row(input).key);
    programs.push_back({{"pid", each.pid},
                        {"name", each.name},
                        {"cpus", coord::cpu_list(each.cpus)},
                        {"processes", each.processes},
                        {"threads", each.threads},
                        {"since_s", coord::seconds(each.since)},
                        {"cpu_s", each.cpu_s},
                        {"factors", each.factors},
                        {"reason", reasons[static_cast<int>(each.reason)]},
                        {"known", known}});
  }
  json classes = json::array();
  const coord::Chip &chip = manager.chip();
  for (std::size_t c = 0; c < chip.class_cpus.size(); c++)
    classes.push_back({{"cpus", coord::cpu_list(chip.class_cpus[c])},
                       {"speed", chip.machine.clock_ratio(static_cast<int>(c))}});
  return {{"policy", manager.policy()},
          {"looked_s", coord::seconds(manager.looked())},
          {"classes", classes},
          {"machine", machine_name(manager.chip().machine)},
          {"classes_from", manager.chip().source},
          {"programs", programs}};
}

} // namespace amp
