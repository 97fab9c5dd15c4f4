// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a loop's threads in every order of their atomic operations, with every value that these may
// read, and looks at what comes out.
#pragma once

#include <string>
#include <vector>

#include "state_search.h"
#include "team.h"

namespace model {

// A thread that has taken that many blocks goes on on a core of another class.
struct Move {
  unsigned thread, block, cls;
};

struct Case {
  Setting setting;
  std::vector<unsigned> cost; // ns of an iteration, of each thread
  bool roomy = true;          // false: the pool's counter could wrap around
  std::vector<Move> moves = {};
};

Findings explore(const Case &what);

} // namespace model
