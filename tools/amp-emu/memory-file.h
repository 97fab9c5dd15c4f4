// SPDX-License-Identifier: GPL-3.0-or-later
// A file in memory that other processes open by name. It disappears with this process, however the
// process ends.
#pragma once

#include <string>

namespace amp {

class MemoryFile {
public:
  // Debuggers show NAME. Throws std::system_error. Throws amp::Failure if other processes could not
  // open the file because this program has file capabilities.
  explicit MemoryFile(const char *name);
  ~MemoryFile();
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  // The name by which this user's processes can open it while this process lives.
  const std::string &path() const { return path_; }

  void append(const std::string &text); // throws std::system_error
  std::string content() const;          // throws std::system_error

private:
  int file_;
  std::string path_;
};

} // namespace amp
