// SPDX-License-Identifier: GPL-3.0-or-later
// Prevents two emulations on one machine at the same time: each would distort the other.
#pragma once

namespace amp {

// Held from construction to destruction or the end of the process; not inherited by commands.
class MachineLock {
public:
  MachineLock(); // throws amp::Failure if another process holds it
  ~MachineLock();
  MachineLock(const MachineLock &) = delete;
  MachineLock &operator=(const MachineLock &) = delete;

private:
  int socket_;
};

} // namespace amp
