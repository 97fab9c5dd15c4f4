// SPDX-License-Identifier: GPL-3.0-or-later
// Scenarios on file, in TOML.
#pragma once

#include "sim/scenario.h"

#include <deque>
#include <istream>
#include <stdexcept>

namespace coord {

// What is wrong with an input: "FILE:LINE: KEY: 'VALUE': expected ...".
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct ScenarioFile {
  Scenario scenario;
  std::deque<Program> programs; // that its arrivals point to
};

// Reads the scenario in TEXT, which messages call NAME. docs/design/coordinator.md lists the keys.
// Throws InputError.
ScenarioFile read_scenario(const std::string &text, const std::string &name);

} // namespace coord
