// SPDX-License-Identifier: GPL-3.0-or-later
// The files of the runs of --tune: what the program reads, and what it wrote.
#pragma once

#include "amp-run/tune/run-once.h"

#include <optional>
#include <string>
#include <vector>

namespace amp {

class Scratch {
public:
  // Each run gets what this process has as standard input, if that is a file, or nothing. Says on
  // stderr that a terminal is not handed on. Throws Failure if it is a pipe or a socket, which
  // cannot be read twice.
  Scratch();
  ~Scratch();
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  RunFiles files() const;

  // Before a run: gives FILES times by which output sees whether they were written.
  void mark_outputs(const std::vector<std::string> &files) const;

  // After a run: what it printed, for NUMBER 0, or the content of the file with that number in
  // FILES, counted from 1. Nothing if it did not write that.
  std::optional<std::string> output(std::size_t number,
                                    const std::vector<std::string> &files) const;

  // The file to which the lab's library reports the virtual time of a run.
  std::string clock() const;

  // The virtual seconds of the run since the last call, of all its processes together; 0 if none
  // opened a team. Empties the file.
  double virtual_seconds() const;

  // The last line of the run's standard error, behind a colon; empty if it has none.
  std::string last_error() const;

private:
  std::string directory_;
  int input_;
};

} // namespace amp
