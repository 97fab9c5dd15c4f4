// SPDX-License-Identifier: GPL-3.0-or-later
// A file in memory that other processes open by name, and that is gone with this process however
// it ends.
#pragma once

#include <string>

namespace amp {

class MemoryFile {
public:
  // NAME is what debuggers show. Throws std::system_error; amp::Failure if other processes could
  // not open the file, because this program has file capabilities.
  explicit MemoryFile(const char *name);
  ~MemoryFile();
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  // The name by which this user's processes open it, for as long as this process lives.
  const std::string &path() const { return path_; }

  void append(const std::string &text); // throws std::system_error
  std::string content() const;          // throws std::system_error

private:
  int file_;
  std::string path_;
};

} // namespace amp
