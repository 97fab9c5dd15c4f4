// SPDX-License-Identifier: GPL-3.0-or-later
// What the user says of a program.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace CLI {
class App;
}

namespace amp {

struct ProgramOptions {
  std::string name, factors;
  double weight = 1;
};

void add_program_options(CLI::App &command, ProgramOptions &options);

// Adds them to REQUEST; NAME is the program's unless the user gave one. Throws Failure.
void describe(const ProgramOptions &options, const std::string &name, nlohmann::json &request);

} // namespace amp
