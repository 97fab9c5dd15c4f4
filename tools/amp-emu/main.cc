// SPDX-License-Identifier: GPL-3.0-or-later
// amp-emu: makes a symmetric machine behave as an asymmetric one while a command runs.
#include "amp-emu/cmd-steal.h"
#include "common/command.h"

int main(int argc, char **argv) {
  CLI::App app("Makes this machine behave as an asymmetric one while a command runs.", "amp-emu");
  app.set_version_flag("--version", "amp-emu " AMP_VERSION);
  app.require_subcommand(1);
  app.footer(amp::exit_status_help);
  const amp::RunCommand steal = amp::add_steal(app);
  return amp::run_tool(app, argc, argv, steal);
}
