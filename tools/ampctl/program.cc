// SPDX-License-Identifier: GPL-3.0-or-later
#include "ampctl/program.h"

#include "common/command.h"

#include <CLI/CLI.hpp>
#include <sstream>

namespace amp {

namespace {

nlohmann::json factors_of(const std::string &text) {
  nlohmann::json factors = nlohmann::json::array();
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');) {
    std::istringstream number(word);
    double value;
    if (!(number >> value) || !number.eof())
      throw Failure("--factors: '" + text +
                    "': expected numbers, the slowest class first, as in 1,2.5; nothing was run");
    factors.push_back(value);
  }
  return factors;
}

} // namespace

void add_program_options(CLI::App &command, ProgramOptions &options) {
  command.add_option("--name", options.name, "what it is called; its file's name by default");
  command.add_option("--weight", options.weight, "how much it counts, 1 by default");
  command.add_option("--factors", options.factors,
                     "how much faster each class of cores runs it, the slowest first: 1,2.5");
}

void describe(const ProgramOptions &options, const std::string &name, nlohmann::json &request) {
  request["name"] = options.name.empty() ? name.substr(name.rfind('/') + 1) : options.name;
  request["weight"] = options.weight;
  if (!options.factors.empty())
    request["factors"] = factors_of(options.factors);
}

} // namespace amp
