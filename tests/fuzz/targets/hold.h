// SPDX-License-Identifier: GPL-3.0-or-later
// What a fuzz target says of its input: that a condition holds, or the input is a find.
#pragma once

#include <cstdio>
#include <cstdlib>

#define HOLD(condition)                                                                            \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);          \
      std::abort();                                                                                \
    }                                                                                              \
  } while (false)
