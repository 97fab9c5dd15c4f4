// SPDX-License-Identifier: GPL-3.0-or-later
// What a virtual run would have used of energy on a chip: a model of its power.
//
// A class of N cores on which threads ran uses, over a run of T seconds in which its cores computed
// for B, spun for S and slept for L seconds in sum,
//
//     idle * T + active * N^(scale - 1) * (B + spin * S) + sleep * L    joules.
//
// A core on which no thread ran is off, and so is a class of such cores. `scale` is below 1 where a
// chip lowers the frequency of a cluster when more of its cores are busy.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace amp {

// The power of a class, in watts but for two numbers. See above.
struct ClassPower {
  double idle = 0, active = 0, spin = 1, sleep = 0, scale = 1;
};

// A chip with its fastest and its slowest cores. Classes between have the geometric means that
// their speeds suggest.
struct ChipPower {
  std::string name;
  ClassPower fastest, slowest;
};

// The name of the chip that is taken unless one is named.
const char *default_chip();

// The chip NAME of chips.def. Throws std::invalid_argument, which names those that there are.
ChipPower find_chip(const std::string &name);

// Parses TEXT, the file NAME: a line `fastest` and a line `slowest`, with KEY=VALUE of idle, active
// and sleep, in watts, 0 to 10000, spin, 0 to 1, and scale, above 0 and at most 1. A comment starts
// with '#'. Throws std::invalid_argument, whose message starts with NAME and names the word that is
// wrong or the line that is missing.
ChipPower parse_chip(const std::string &name, const std::string &text);

// Adds "energy" to PROCESS, a report of the library, and to its parallel part: joules, the mean
// watts, and the joules times seconds. Throws Json::exception if a figure is missing.
void add_energy(nlohmann::ordered_json &process, const ChipPower &chip);

// The energy of the machine on which PROCESSES, reports of the library, ran within SECONDS. What
// its classes use when idle counts once, where the sum of the processes' energies would count it
// for each. Throws Json::exception if a figure is missing.
nlohmann::ordered_json energy_of_all(const nlohmann::ordered_json &processes, double seconds,
                                     const ChipPower &chip);

} // namespace amp
