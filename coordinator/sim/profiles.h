// SPDX-License-Identifier: GPL-3.0-or-later
// The measurements in coordinator/profiles, which are compiled in.
#pragma once

#include "model/points_file.h"
#include "sim/sharing.h"

namespace coord {

std::vector<MeasuredProgram> lace_programs(); // task programs on a virtual 4x3.0+4x1.0
Sharing measured_sharing();                   // two programs on two real CPUs

} // namespace coord
