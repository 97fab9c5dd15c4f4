// SPDX-License-Identifier: GPL-3.0-or-later
// Called regions (GOMP_AMP_FOLD_CALLS): what a program can see of them, in cases by concept.
//
// Each region of a case is a function of its own that runs again and again: first by turns, then
// called, and if its threads wait for each other by turns afterwards, until the pool is given up.
#pragma once

#include <string>
#include <vector>

namespace called {

struct Case {
  const char *name;
  void (*body)();
};

// What an id sees, what ids wait for, and how pools and processes end.
extern const std::vector<Case> kSeen, kWaits, kEnds;

inline const int kRounds = 200;

// Each first run of a region takes turns. Regions of which one called run is wanted run twice, and
// do nothing when they take turns.
inline const bool kRuns[] = {false, true};

// The pool's first region makes its threads and is never called.
void make_threads();

// The calling id ran; each id of a team of `size` ran once since the last check.
void mark();
void check_once(int size, const char *what);

void work(int steps);

// A region with a static loop, kRounds times.
void static_loop();

// The process, which one of kEnds has started, ends by `way`.
[[noreturn]] void end_by(const std::string &way);

} // namespace called
