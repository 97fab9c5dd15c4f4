// SPDX-License-Identifier: GPL-3.0-or-later
#include "ampctl/program.h"

#include "amp-run/elf-file.h"
#include "common/command.h"
#include "model/points_file.h"

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

// Of a file with one program that one, of others the one of that NAME.
nlohmann::json table_of(const std::string &file, const std::string &name) {
  std::ifstream stream(file);
  if (!stream)
    throw Failure("--table: " + file + ": cannot be read; nothing was run");
  std::vector<coord::MeasuredProgram> programs;
  try {
    programs = coord::read_points(stream, file);
  } catch (const std::invalid_argument &problem) {
    throw Failure(problem.what());
  }
  const coord::MeasuredProgram *found = programs.size() == 1 ? &programs[0] : nullptr;
  for (const coord::MeasuredProgram &each : programs)
    if (each.name() == name)
      found = &each;
  if (!found)
    throw Failure("--table: " + file + " has no program '" + name + "'; see --name");
  const coord::TableThroughput throughput = found->throughput();
  nlohmann::json values = nlohmann::json::array();
  coord::for_each_count(throughput.most(), [&](const coord::Counts &n) {
    values.push_back(throughput.at({n.data(), throughput.most().size()}));
  });
  return {{"most", throughput.most()}, {"values", values}};
}

nlohmann::json signature_of(const std::string &file) {
  std::ifstream stream(file);
  nlohmann::json rows = nlohmann::json::parse(stream, nullptr, false);
  if (!rows.is_object() || !rows.contains("signature"))
    throw Failure("--signature: " + file + ": expected what 'ampctl sign' writes; nothing was run");
  return rows["signature"];
}

nlohmann::json rates_of(const std::string &file) {
  std::ifstream stream(file);
  nlohmann::json rates = nlohmann::json::parse(stream, nullptr, false);
  if (!rates.is_object() || !rates.contains("pressure") || !rates.contains("coefficients"))
    throw Failure("--rates: " + file +
                  ": expected an object with pressure and coefficients; nothing was run");
  return rates;
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
    const std::string build_id = file ? file->build_id() : "";
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
  command.add_option("--table", options.table, "what 'ampctl profile' wrote");
  command.add_option("--signature", options.signature, "what 'ampctl sign' wrote");
  command.add_option("--rates", options.rates,
                     "its access rates, and what others' cost it, for the policy contention");
}

void describe(const ProgramOptions &options, const std::string &name, const std::string &program,
              nlohmann::json &request) {
  request["name"] = options.name.empty() ? name.substr(name.rfind('/') + 1) : options.name;
  request["weight"] = options.weight;
  if (!options.factors.empty())
    request["factors"] = factors_of(options.factors);
  if (!options.table.empty())
    request["table"] = table_of(options.table, request["name"]);
  if (!options.signature.empty())
    request["signature"] = signature_of(options.signature);
  else if (options.factors.empty())
    find_signature(program, request);
  if (!options.rates.empty())
    request["rates"] = rates_of(options.rates);
}

} // namespace amp
