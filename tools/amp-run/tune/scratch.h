// SPDX-License-Identifier: GPL-3.0-or-later
// The files of the runs of --tune: what the program reads and prints, and what the library reports.
#pragma once

#include "amp-run/tune/run-once.h"
#include "amp-run/tune/written.h"

#include <optional>
#include <string>
#include <vector>

namespace amp {

class Scratch {
public:
  // Each run gets what this process has as standard input, if that is a file, or nothing. Says on
  // stderr that a terminal is not handed on. Throws Failure if it is a pipe or a socket, which
  // cannot be read twice. The files are in DIRECTORY.
  explicit Scratch(const std::string &directory);
  ~Scratch();
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  RunFiles files() const;

  // Before a run: gives FILES times by which file_written sees whether they were written.
  void mark_outputs(const std::vector<std::string> &files) const;

  // After a run: what it printed.
  Content output() const;

  // Whether it wrote FILE, which was marked.
  bool is_written(const std::string &file) const;

  // Prints what it printed, also on standard error.
  void hand_on() const;

  // The file to which the lab's library reports the virtual time of a run.
  std::string clock() const;

  // The virtual seconds of the run since the last call, of all its processes together; 0 if none
  // opened a team. Empties the file.
  double virtual_seconds() const;

  // The file to which processes add a line if they folded a team, and whether any did.
  std::string folds() const;
  bool folded() const;

  // Where reports of processes are written, a value of GOMP_AMP_REPORT, and whether any of them has
  // entries of KIND, regions or loops.
  std::string reports() const;
  bool reported(const char *kind) const;

  // The last line of the run's standard error, or of its output, behind a colon; empty if it has
  // none.
  std::string last_words() const;

private:
  std::string directory_;
  int input_;
};

} // namespace amp
