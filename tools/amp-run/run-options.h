// SPDX-License-Identifier: GPL-3.0-or-later
// The options of amp-run.
#pragma once

#include "amp-run/tune/tune.h"

#include <string>

namespace CLI {
class App;
}

namespace amp {

struct RunOptions {
  bool check = false;
  bool force = false;
  bool verbose = false;
  bool ranks = false;
  bool tune = false;
  bool known = false;
  bool forget = false;
  std::string schedule;
  std::string affinity;
  std::string fold;
  std::string way;
  std::string explain;
  std::string budget;
  TuneOptions tuning;

  // The option, other than --tune, --known and --forget, that says how CMD runs; null if none.
  const char *chosen() const;
};

// Throws Failure if there are options of --tune without that.
void refuse_stray_options(const CLI::App &app, const RunOptions &options);

// Adds all options and the help's last paragraphs to APP, to be stored in OPTIONS.
void add_options(CLI::App &app, RunOptions &options);

} // namespace amp
