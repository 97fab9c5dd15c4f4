// SPDX-License-Identifier: GPL-3.0-or-later
// amp-run --explain: runs a program once, and says what it did and what to try.
#pragma once

#include "common/command.h"

#include <optional>
#include <string>
#include <vector>

namespace amp {

// The value of --explain without a file.
constexpr const char *explain_on_stderr = "-";

// The variables of the environment, as NAME=VALUE.
using Environment = std::vector<std::string>;
Environment current_environment();

// Runs PROGRAM, with COMMAND as its argument vector, in the present environment and with the report
// of libgomp-amp; then has amp-report explain that, in the environment BEFORE, to FILE or to
// stderr. UNFOLDED: why amp-run does not fold it unasked. DECIDED: what decided how it was run, for
// the explanation's first line; empty: nothing did. The program's output, signals and status are
// its own. Returns its exit status, or ends by the signal that ended it. Throws Failure if nothing
// was run.
int run_and_explain(const std::string &program, const Command &command, const std::string &file,
                    const Environment &before, const std::optional<std::string> &unfolded,
                    const std::string &decided);

} // namespace amp
