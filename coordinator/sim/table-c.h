// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of table C, for the tests.
#pragma once

#include "sim/tables.h"

namespace coord {

// The figures that do not depend on the host: all but C4 and C7.
std::vector<Figure> table_c_fast();

// C7: 512 cores, 256x3.0+256x1.0; Poisson arrivals of malleable jobs that would keep LOAD of all
// cores busy if they ran at no loss; under each policy.
struct OpenSystem {
  std::string policy;
  double stp, antt;                // of the jobs that ended; alone: on 16 of the fastest cores
  double host_s, worst_decision_s; // what it took here
  int arrived, ended;
};
std::vector<OpenSystem> open_system(double load, double simulated_s);

} // namespace coord
