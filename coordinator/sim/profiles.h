// SPDX-License-Identifier: GPL-3.0-or-later
// The measurements in coordinator/profiles, which are compiled in.
#pragma once

#include "model/points_file.h"

namespace coord {

std::vector<MeasuredProgram> lace_programs(); // task programs on a virtual 4x3.0+4x1.0

// What two runs of a program lose to each other on two real CPUs, on each of which both have a
// thread: time at once over time one after the other, less 1, the median of rounds.
struct Sharing {
  std::string library, program;
  double loss;
};
std::vector<Sharing> measured_sharing();

} // namespace coord
