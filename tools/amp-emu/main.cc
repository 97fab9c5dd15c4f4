// SPDX-License-Identifier: GPL-3.0-or-later
// amp-emu: makes a symmetric machine behave as an asymmetric one while a command runs.
#include "amp-emu/cmd-steal.h"
#include "amp-emu/cmd-virtual.h"
#include "common/command.h"

#include <CLI/CLI.hpp>
#include <map>

int main(int argc, char **argv) {
  CLI::App app("Makes this machine behave as an asymmetric one while a command runs.", "amp-emu");
  app.set_version_flag("--version", "amp-emu " AMP_VERSION);
  app.require_subcommand(1);
  app.footer(amp::exit_status_help);
  const std::map<std::string, std::function<int(const amp::Command &)>> commands = {
      {"steal", amp::add_steal(app)},
      {"virtual", amp::add_virtual(app)},
  };
  return amp::run_tool(app, argc, argv, [&](const amp::Command &command) {
    return commands.at(app.get_subcommands().front()->get_name())(command);
  });
}
