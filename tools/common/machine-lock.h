// SPDX-License-Identifier: GPL-3.0-or-later
// Prevents two measurements on one machine at the same time: each would distort the other.
#pragma once

#include <optional>
#include <string_view>

namespace amp {

// Held until destruction or the end of the process; not inherited by commands. It leaves no file
// behind, however the process ends.
class MachineLock {
public:
  // The lock called NAME; nothing if another process holds it. Throws std::system_error.
  static std::optional<MachineLock> take(std::string_view name);
  MachineLock(MachineLock &&other);
  ~MachineLock();
  MachineLock(const MachineLock &) = delete;
  MachineLock &operator=(const MachineLock &) = delete;

private:
  explicit MachineLock(int socket) : socket_(socket) {}
  int socket_; // bound to an abstract name; -1: moved away
};

} // namespace amp
