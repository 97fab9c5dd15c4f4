// SPDX-License-Identifier: GPL-3.0-or-later
// ampsim: runs policies that share an asymmetric chip among applications, on a simulated chip.
#include "core/registry.h"
#include "sim/tables.h"

#include <CLI/CLI.hpp>
#include <iostream>

int main(int argc, char **argv) {
  CLI::App app(
      "Runs policies that share an asymmetric chip among applications, on a simulated chip.",
      "ampsim");
  app.set_version_flag("--version", "ampsim " AMP_VERSION);
  app.require_subcommand(1);
  std::string only;
  CLI::App *const tables = app.add_subcommand("tables", "print the tables of docs/coordinator.md");
  tables->add_option("--only", only, "print these tables only, by letter: AC");
  CLI11_PARSE(app, argc, argv);
  for (const coord::Table &table : coord::tables())
    if (only.empty() || only.find(table.letter) != std::string::npos)
      std::cout << markdown(table, table.compute()) << std::endl;
  return 0;
}
