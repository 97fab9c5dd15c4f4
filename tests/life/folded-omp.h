// SPDX-License-Identifier: GPL-3.0-or-later
// Folded teams: what a program can see of OpenMP in them, in cases by concept.
#pragma once

#include <string>
#include <vector>

namespace folded {

struct Case {
  const char *name;
  void (*body)();
};

// What an id sees, what ids wait for, and how pools and processes end.
extern const std::vector<Case> kSeen, kWaits, kEnds;

inline const int kRounds = 200;

// The pool's first region makes its threads.
void make_threads();

// The calling id ran; each id of a team of `size` ran once since the last check.
void mark();
void check_once(int size, const char *what);

void work(int steps);

// A region with a static loop, kRounds times.
void static_loop();

// The process, which one of kEnds has started, ends by `way`.
[[noreturn]] void end_by(const std::string &way);

} // namespace folded
