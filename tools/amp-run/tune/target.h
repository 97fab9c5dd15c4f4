// SPDX-License-Identifier: GPL-3.0-or-later
// What a command runs in the end: the program behind nice, env, time, taskset, mpirun and the like,
// by which entries are looked up.
#pragma once

#include "amp-run/tune/ways.h"
#include "common/command.h"

#include <string>

namespace amp {

struct Target {
  std::string name;        // an absolute file name, or "-m MODULE", "-c CODE"; empty: not known
  std::string interpreter; // the file that runs a script, other than a shell script; else empty
  std::string build_id;    // of an ELF file; empty if it has none
  std::string executable;  // the file of the process that computes; empty: a script starts others
  std::string through;     // the last command that was looked through: "mpirun"; else empty
  std::string arguments;   // the words behind it
  std::string obstacle;    // why it would not get the library; else empty

  // By which it differs from others of its name that have no build-id: a hash of its file, or of
  // the code in its arguments and the directory where that runs.
  std::string hash() const;
};

// The target of COMMAND, whose first word is found as PROGRAM. A command behind which nothing is
// seen is the target itself. Executes nothing.
Target find_target(const std::string &program, const Command &command);

// What the files of TARGET show; LIBRARY is ours.
Traits traits_of(const Target &target, const std::string &library);

} // namespace amp
