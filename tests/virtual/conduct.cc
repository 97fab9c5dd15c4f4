// SPDX-License-Identifier: GPL-3.0-or-later
// Regions of 24 ms, as many as the first argument says, in 24 equal parts, or as many as the second
// one says, which threads take one by one. After each the first thread alone takes as many
// milliseconds as the third one says.
#include <cstdlib>

#include "work.h"

int main(int argc, char **argv) {
  const int parts = argc > 2 ? std::atoi(argv[2]) : 24;
  const double serial = argc > 3 ? std::atof(argv[3]) * 1e-3 : 0;
  for (int region = std::atoi(argv[1]); region > 0; region--) {
#pragma omp parallel for schedule(nonmonotonic : dynamic)
    for (int i = 0; i < parts; i++)
      work(24e-3 / parts);
    if (serial > 0)
      work(serial);
  }
}
