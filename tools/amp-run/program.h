// SPDX-License-Identifier: GPL-3.0-or-later
// The program that a command runs in the end, behind nice, env, time, taskset, mpirun, scripts and
// the like, and what its files show. They are read once, and executed never.
#pragma once

#include "amp-run/modules.h"
#include "common/command.h"

#include <optional>
#include <string>
#include <string_view>

namespace amp {

// By which entries are looked up.
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
  // How it is called in messages.
  std::string shown() const { return "'" + (name.empty() ? interpreter : name) + "'"; }
};

// What can be seen of a program before it runs. UNSEEN: it may load or start code that is not seen.
struct Traits {
  bool unseen = false;
  bool parallel = false;  // has parallel regions
  bool reachable = false; // has loops that call the library
};

// A command behind which nothing is seen is the program itself.
struct Program : Target {
  // LIBRARY is ours, which LD_PRELOAD names before any member is called. A shared library is taken
  // for a program if that is ALLOWED. Throws Failure like find_program.
  Program(const Command &words, std::string ours, bool library_allowed = false);

  Command command;
  std::string library;
  std::string file;   // the one to execute for the first word of the command
  std::string seen;   // whose libraries are looked at: the one that computes, or else FILE
  std::string code;   // that file, or the interpreter of that script; empty if it is not found
  const ElfFile *elf; // of CODE; null if it is none

  // Throws Failure if it would not run on the library.
  void refuse_obstacles() const;

  // The modules of CODE and of the libraries that it loads at its start.
  const Modules &modules() const;
  Traits traits() const;

  // The run-time library of AddressSanitizer that has to come first; empty if it loads none.
  std::string sanitizer() const;

private:
  mutable Modules modules_;
};

// Returns why FILE, an executable file, would not run on LIBRARY, and what to do about it. Returns
// nothing if it would, also for a program that uses no OpenMP: it may load a plug-in that does.
// LD_PRELOAD of this process must already name LIBRARY. FILE itself does not run.
// Throws std::system_error if LIBRARY cannot be read.
std::optional<std::string> find_obstacle(const std::string &file, const std::string &library);

// The owner of the OpenMP runtime, other than libgomp, that FILE is a library of, by its name;
// empty for any other file.
std::string_view other_runtime_owner(std::string_view file);

// Whether the name of FILE is NAME, or NAME and a version, such as python3.11.
bool is_called(const std::string &file, const std::string &name);

// Whether PROGRAM is an interpreter of Python.
bool is_python(const std::string &program);

std::string base_name(const std::string &file);

} // namespace amp
