// SPDX-License-Identifier: GPL-3.0-or-later
// Processes that others have started.
#pragma once

#include "linux/system.h"

#include <functional>
#include <utility>
#include <vector>

namespace coord {

struct Child {
  pid_t pid, parent;
};

// Of CANDIDATES those that processes of which KNOWN is true have started, and that these have, and
// so on: each behind its parent.
std::vector<Child> find_children(System &system, const std::vector<pid_t> &candidates,
                                 const std::function<bool(pid_t)> &known);

// Notes which processes there are.
class Births {
public:
  // Those that began since the last call; all the first time.
  std::vector<pid_t> look(System &system);

private:
  std::vector<pid_t> seen_;
};

} // namespace coord
