// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the power of chips, and computes energy.
#include "amp-emu/power.h"

#include "amp-emu/number.h"
#include "common/cpulist.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <sstream>
#include <stdexcept>

namespace amp {

using Json = nlohmann::ordered_json;

namespace {

constexpr double max_watts = 10'000;

struct Chip {
  const char *name;
  ClassPower fastest, slowest;
};

constexpr Chip chips[] = {
#define CHIP(NAME, FASTEST, SLOWEST, SOURCE) {NAME, FASTEST, SLOWEST},
#include "amp-emu/chips.def"
#undef CHIP
};

// PLACE is a file and the number of a line.
[[noreturn]] void reject(const std::string &place, const std::string &what,
                         const std::string &why) {
  throw std::invalid_argument(place + ": '" + what + "' " + why);
}

void parse_value(const std::string &place, const std::string &word, ClassPower &power) {
  const std::size_t equals = word.find('=');
  const std::map<std::string, double *> fields = {{"idle", &power.idle},
                                                  {"active", &power.active},
                                                  {"spin", &power.spin},
                                                  {"sleep", &power.sleep},
                                                  {"scale", &power.scale}};
  const auto field = fields.find(word.substr(0, equals));
  if (equals == word.npos || field == fields.end())
    reject(place, word, "is not KEY=VALUE with a KEY of idle, active, spin, sleep, scale");
  const bool is_ratio = field->first == "spin" || field->first == "scale";
  double value = 0;
  if (!read_number(word.substr(equals + 1), decimal_fraction, value) ||
      value > (is_ratio ? 1 : max_watts) || (field->first == "scale" && value == 0))
    reject(place, word,
           is_ratio ? "does not have a number up to 1"
                    : "does not have a number of watts, 0 to " + format_decimal(max_watts));
  *field->second = value;
}

// WHERE is 0 for SLOW and 1 for FAST. Where one of them is 0 there is no geometric mean.
double between(double slow, double fast, double where) {
  if (slow <= 0 || fast <= 0)
    return slow + where * (fast - slow);
  return slow * std::pow(fast / slow, where);
}

ClassPower power_of(const ChipPower &chip, double where) {
  const ClassPower &slow = chip.slowest, &fast = chip.fastest;
  return {between(slow.idle, fast.idle, where), between(slow.active, fast.active, where),
          between(slow.spin, fast.spin, where), between(slow.sleep, fast.sleep, where),
          between(slow.scale, fast.scale, where)};
}

// Of CLASSES over SECONDS. PREFIX is that of the names of the times.
Json energy(const Json &classes, const std::string &prefix, double seconds, const ChipPower &chip) {
  if (classes.empty())
    return Json::object();
  const double fastest = classes.front().at("speed"), slowest = classes.back().at("speed");
  double joules = 0;
  for (const Json &one : classes) {
    const double speed = one.at("speed"), used = one.at("used");
    if (used == 0)
      continue; // the cluster is off
    const double busy = one.at(prefix + "busy_ns").get<double>() / 1e9;
    const double spin = one.at(prefix + "spin_ns").get<double>() / 1e9;
    const double asleep = std::max(0.0, used * seconds - busy - spin);
    const ClassPower power = power_of(
        chip, fastest > slowest ? std::log(speed / slowest) / std::log(fastest / slowest) : 1);
    const double active = power.active * std::pow(used, power.scale - 1);
    joules += power.idle * seconds + active * (busy + power.spin * spin) + power.sleep * asleep;
  }
  return Json{{"chip", chip.name},
              {"joules", joules},
              {"watts", seconds > 0 ? joules / seconds : 0},
              {"edp_js", joules * seconds}};
}

} // namespace

const char *default_chip() { return chips[0].name; }

ChipPower find_chip(const std::string &name) {
  std::string known;
  for (const Chip &chip : chips) {
    if (name == chip.name)
      return {chip.name, chip.fastest, chip.slowest};
    known += std::string(known.empty() ? "" : ", ") + chip.name;
  }
  throw std::invalid_argument("'" + name + "' is none of the chips " + known +
                              "; a file has a '.' or '/' in its name");
}

ChipPower parse_chip(const std::string &name, const std::string &text) {
  ChipPower chip{name, {}, {}};
  std::map<std::string, int> seen;
  std::istringstream lines(text);
  int number = 0;
  for (std::string content; std::getline(lines, content);) {
    ++number;
    content.resize(std::min(content.find('#'), content.size()));
    std::istringstream words(content);
    std::string cores, word;
    const std::string place = name + ":" + std::to_string(number);
    if (!(words >> cores))
      continue;
    if (cores != "fastest" && cores != "slowest")
      reject(place, cores, "is neither 'fastest' nor 'slowest'");
    if (!seen.emplace(cores, number).second)
      reject(place, cores, "has a line already");
    ClassPower &power = cores == "fastest" ? chip.fastest : chip.slowest;
    while (words >> word)
      parse_value(place, word, power);
  }
  for (const char *cores : {"fastest", "slowest"})
    if (!seen.count(cores))
      throw std::invalid_argument(name + ": no line '" + cores +
                                  "'; expected one, such as 'fastest idle=0.1 active=0.8'");
  return chip;
}

void add_energy(Json &process, const ChipPower &chip) {
  const auto seconds = [](const Json &part) { return part.at("makespan_ns").get<double>() / 1e9; };
  // No reference into PROCESS outlives an insertion, which moves its members.
  Json whole = energy(process.at("classes"), "", seconds(process), chip);
  process["energy"] = std::move(whole);
  Json &parallel = process.at("parallel");
  parallel["energy"] = energy(process.at("classes"), "parallel_", seconds(parallel), chip);
}

Json energy_of_all(const Json &processes, double seconds, const ChipPower &chip) {
  Json classes = Json::array();
  for (const Json &process : processes)
    for (std::size_t i = 0; i < process.at("classes").size(); i++) {
      const Json &one = process.at("classes")[i];
      if (i == classes.size()) {
        classes.push_back(one);
        continue;
      }
      for (const char *name : {"used", "busy_ns", "spin_ns"})
        classes[i][name] = classes[i].at(name).get<double>() + one.at(name).get<double>();
    }
  for (Json &one : classes) {
    const double cores = parse_cpu_list(one.at("cpus")).size();
    one["used"] = std::min(cores, one.at("used").get<double>());
  }
  return energy(classes, "", seconds, chip);
}

} // namespace amp
