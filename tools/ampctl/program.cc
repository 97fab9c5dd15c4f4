// SPDX-License-Identifier: GPL-3.0-or-later
#include "ampctl/program.h"

#include "amp-run/elf-file.h"
#include "common/command.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <system_error>

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

nlohmann::json signature_of(const std::string &file) {
  std::ifstream stream(file);
  nlohmann::json rows = nlohmann::json::parse(stream, nullptr, false);
  if (!rows.is_object() || !rows.contains("signature"))
    throw Failure("--signature: " + file + ": expected what 'ampctl sign' writes; nothing was run");
  return rows["signature"];
}

// The signature of this build of PROGRAM, if there is one. A damaged file costs a message.
void find_signature(const std::string &program, nlohmann::json &request) {
  const std::string file = signature_path(program);
  std::error_code ignored;
  if (file.empty() || !std::filesystem::exists(file, ignored))
    return;
  try {
    request["signature"] = signature_of(file);
  } catch (const Failure &) {
    std::cerr << "ampctl: " << file << ": expected what 'ampctl sign' writes; it is not used\n";
  }
}

} // namespace

std::string signature_path(const std::string &program) {
  const char *const config = std::getenv("XDG_CONFIG_HOME"), *const home = std::getenv("HOME");
  std::string directory;
  if (config && config[0] == '/')
    directory = config;
  else if (home && home[0] == '/')
    directory = std::string(home) + "/.config";
  else
    return {};
  try {
    const auto file = ElfFile::open(program);
    const std::string build_id = file ? file->build_id : "";
    return build_id.empty() ? "" : directory + "/libgomp-amp/signatures/" + build_id;
  } catch (const std::system_error &) {
    return {};
  }
}

void add_program_options(CLI::App &command, ProgramOptions &options) {
  command.add_option("--name", options.name, "what it is called; its file's name by default");
  command.add_option("--weight", options.weight, "how much it counts, 1 by default");
  command.add_option("--factors", options.factors,
                     "how much faster each class of cores runs it, the slowest first: 1,2.5");
  command.add_option("--signature", options.signature, "what 'ampctl sign' wrote");
}

void describe(const ProgramOptions &options, const std::string &name, const std::string &program,
              nlohmann::json &request) {
  request["name"] = options.name.empty() ? name.substr(name.rfind('/') + 1) : options.name;
  request["weight"] = options.weight;
  if (!options.factors.empty())
    request["factors"] = factors_of(options.factors);
  if (!options.signature.empty())
    request["signature"] = signature_of(options.signature);
  else if (options.factors.empty())
    find_signature(program, request);
}

} // namespace amp
