// SPDX-License-Identifier: GPL-3.0-or-later
// A copy of the world for each run of --tune: a mount namespace with overlays, so that each run
// starts from the same files, and none changes those of the user.
#pragma once

#include "amp-run/tune/compare.h"

#include <string>
#include <vector>

namespace amp {

class World {
public:
  // Copies DIRECTORIES and what is mounted below them, and moves this process into a mount
  // namespace of its own; where not root, into a user namespace. Where that is refused nothing is
  // copied, and runs write to the user's files.
  explicit World(const std::vector<std::string> &directories);
  ~World();
  World(const World &) = delete;
  World &operator=(const World &) = delete;

  // Why nothing is copied; empty if it is.
  const std::string &refusal() const { return refusal_; }

  // A directory for the files of these runs.
  const std::string &scratch() const { return scratch_; }

  // Puts this process and its children into copy NUMBER, as it was left or made new.
  void enter(unsigned number) const;

  // The files that runs in copy NUMBER wrote or removed.
  Written written(unsigned number) const;

  // Makes these the user's.
  void give(unsigned number) const;

  // Removes copy NUMBER.
  void drop(unsigned number) const;

private:
  struct Place {
    std::string path;
    bool copied; // or bound as it is
  };

  void find_places(const std::vector<std::string> &directories);
  bool take_scratch(const std::string &parent, bool memory);
  std::string try_out();
  void separate();
  std::string layer(unsigned number, std::size_t place, const char *kind) const;
  void mount_copy(const Place &place, int original, const std::string &upper,
                  const std::string &work) const;

  std::vector<Place> places_; // those that contain others first
  std::string scratch_, refusal_;
  bool memory_ = false;     // the scratch directory is a file system in memory
  bool privileged_ = false; // no user namespace is needed
};

// The directories that a program with these ARGUMENTS may write to: the working directory, the home
// directory, that for temporary files, and those of its arguments.
std::vector<std::string> written_directories(const std::vector<std::string> &arguments);

} // namespace amp
