// SPDX-License-Identifier: GPL-3.0-or-later
// Regions with 24 equal parts, which threads take one by one: as many as the argument says.
#include <cstdlib>

#include "cpu-clock.h"

int main(int, char **argv) {
  for (int region = std::atoi(argv[1]); region > 0; region--)
#pragma omp parallel for schedule(nonmonotonic : dynamic)
    for (int i = 0; i < 24; i++)
      work(1e-3);
}
