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
  std::string name, factors, signature;
  double weight = 1;
};

void add_program_options(CLI::App &command, ProgramOptions &options);

// Adds them to REQUEST; NAME is the program's unless the user gave one, PROGRAM its file, of which
// the signature is looked up if nothing else says its factors. Throws Failure.
void describe(const ProgramOptions &options, const std::string &name, const std::string &program,
              nlohmann::json &request);

// Where the signature of PROGRAM's build is kept. Empty: it has no build-id, or the user no home.
std::string signature_path(const std::string &program);

} // namespace amp
