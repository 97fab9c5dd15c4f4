// SPDX-License-Identifier: GPL-3.0-or-later
// ampsim: runs policies that share an asymmetric chip among applications, on a simulated chip.
#include "core/registry.h"
#include "sim/output.h"
#include "sim/scenario-file.h"
#include "sim/tables.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <sstream>

namespace {

constexpr int kUsage = 2; // exit status: the command line or an input is wrong

constexpr const char *kFooter = R"(A scenario, for example chip.toml:

  cores = "4x3.0+4x1.0"
  policy = "hass-s"
  [[program]]
  name = "solver"
  work = 30          # seconds on one of the slowest cores
  factor = 2.8       # how much faster one of the fastest runs it
  copies = 6

ampsim run chip.toml --policy hafs --output out && ampsim-chart out

Exit status: 0; 2 if the command line or an input is wrong, and then nothing is written; 1 if
results cannot be written.)";

struct RunOptions {
  std::string file, policy, output;
  std::vector<std::string> parameters;
  bool quiet = false;
};

coord::ScenarioFile read(const RunOptions &options) {
  std::ifstream file(options.file);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf()))
    throw coord::InputError(options.file + ": cannot be read; expected a scenario in TOML");
  coord::ScenarioFile read = coord::read_scenario(text.str(), options.file);
  coord::Scenario &scenario = read.scenario;
  if (!options.policy.empty() && options.policy != scenario.policy) {
    scenario.policy = options.policy;
    scenario.parameters.clear();
  }
  for (const std::string &each : options.parameters) {
    const std::size_t equals = each.find('=');
    std::istringstream number(equals == std::string::npos ? "" : each.substr(equals + 1));
    double value;
    if (!(number >> value) || !number.eof())
      throw coord::InputError("--set: '" + each + "': expected NAME=NUMBER");
    scenario.parameters[each.substr(0, equals)] = value;
  }
  try {
    make_policy(scenario.policy, scenario.machine, scenario.parameters);
  } catch (const std::invalid_argument &problem) {
    throw coord::InputError(problem.what());
  }
  scenario.record = !options.output.empty();
  return read;
}

int run(const RunOptions &options) {
  const coord::ScenarioFile file = read(options);
  const auto started = std::chrono::steady_clock::now();
  auto told = started;
  const coord::Result result = simulate(file.scenario, [&](coord::Time now, std::size_t runs) {
    const auto real = std::chrono::steady_clock::now();
    if (options.quiet || real - told < std::chrono::seconds(2))
      return;
    told = real;
    std::cerr << "ampsim: " << std::fixed << std::setprecision(1) << coord::seconds(now)
              << " s simulated in " << std::chrono::duration<double>(real - started).count()
              << " s, " << runs << " runs\n";
  });
  if (!result.refused.empty())
    std::cerr << "ampsim: policy " << file.scenario.policy << ": " << result.refused.size()
              << " decisions were refused, the first: " << result.refused[0] << '\n';
  if (!options.output.empty())
    write_csv(file.scenario, result, options.output);
  std::cout << summary(file.scenario, result);
  return 0;
}

int list_policies(bool markdown) {
  if (markdown) {
    std::cout << "| policy | what it does | from |\n|---|---|---|\n";
    for (const coord::PolicyRow &row : coord::policies())
      std::cout << "| `" << row.name << "` | " << row.summary << " | " << row.source << " |\n";
    std::cout << "\n| policy | parameter | default | bounds | what it sets | from "
                 "|\n|---|---|--:|---|---|---|\n";
    for (const coord::PolicyRow &row : coord::policies())
      for (const coord::ParameterRow &parameter : row.parameters)
        std::cout << "| `" << row.name << "` | `" << parameter.name << "` | " << parameter.initial
                  << " | " << parameter.least << " to " << parameter.most << ' ' << parameter.unit
                  << " | " << parameter.meaning << " | " << parameter.source << " |\n";
    return 0;
  }
  for (const coord::PolicyRow &row : coord::policies()) {
    std::cout << row.name << "\n    " << row.summary << " (" << row.source << ")\n";
    for (const coord::ParameterRow &parameter : row.parameters)
      std::cout << "    --set " << parameter.name << '=' << parameter.initial << "  "
                << parameter.least << " to " << parameter.most << ' ' << parameter.unit << ": "
                << parameter.meaning << '\n';
  }
  return 0;
}

int print_tables(const std::string &only) {
  for (const char letter : only)
    if (std::ranges::none_of(coord::tables(),
                             [&](const coord::Table &table) { return *table.letter == letter; }))
      throw coord::InputError(std::string("--only: '") + letter +
                              "': expected letters of tables, as in " + coord::tables()[0].letter);
  std::ptrdiff_t banded = 0, outside = 0;
  for (const coord::Table &table : coord::tables())
    if (only.empty() || only.find(*table.letter) != std::string::npos) {
      std::cerr << "ampsim: table " << table.letter << "...\n";
      const std::vector<coord::Figure> figures = table.compute();
      banded += std::ranges::count_if(figures, &coord::Figure::has_band);
      outside += std::ranges::count(figures, false, &coord::Figure::inside);
      std::cout << markdown(table, figures) << std::endl;
    }
  std::cout << outside << " of " << banded << " figures with a band are outside of it.\n";
  return 0;
}

CLI::App *add_run(CLI::App &app, RunOptions &options) {
  CLI::App *const command =
      app.add_subcommand("run", "simulate a scenario and print what came of it");
  command->add_option("FILE", options.file, "the scenario, in TOML")->required();
  command->add_option("-p,--policy", options.policy, "use this policy in place of the scenario's");
  command->add_option("-s,--set", options.parameters, "set a parameter of the policy: NAME=NUMBER")
      ->allow_extra_args(false);
  command->add_option(
      "-o,--output", options.output,
      "write runs.csv, cores.csv and speed.csv into this directory, for ampsim-chart");
  command->add_flag("-q,--quiet", options.quiet, "no progress of long runs");
  return command;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app(
      "Runs policies that share an asymmetric chip among applications, on a simulated chip.",
      "ampsim");
  app.set_version_flag("--version", "ampsim " AMP_VERSION);
  app.footer(kFooter);
  app.require_subcommand(1);
  RunOptions options;
  CLI::App *const run_command = add_run(app, options);
  CLI::App *const policies_command =
      app.add_subcommand("policies", "list the policies and their parameters");
  bool markdown = false;
  policies_command->add_flag("--markdown", markdown,
                             "as the tables of docs/results/coordinator/report.md");
  std::string only;
  CLI::App *const tables_command =
      app.add_subcommand("tables", "print the tables of docs/results/coordinator/report.md");
  tables_command->add_option("--only", only, "print these tables only, by letter: AC");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  try {
    if (*run_command)
      return run(options);
    if (*policies_command)
      return list_policies(markdown);
    if (*tables_command)
      return print_tables(only);
  } catch (const coord::InputError &error) {
    std::cerr << "ampsim: " << error.what() << '\n';
    return kUsage;
  } catch (const std::exception &error) {
    std::cerr << "ampsim: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
