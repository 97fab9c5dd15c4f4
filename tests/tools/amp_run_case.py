# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of amp-run share."""

from tool_case import ToolCase

# An OpenMP program that prints the file of the libgomp it runs on.
OPENMP = """
#include <stdio.h>
#include <string.h>
int main(void) {
  int threads = 0;
  #pragma omp parallel reduction(+:threads)
  threads++;
  char line[4096];
  FILE *maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps))
    if (strstr(line, "libgomp")) {
      fputs(strchr(line, '/'), stdout);
      break;
    }
  return threads < 1;
}
"""

# A loop with a schedule clause, or none.
LOOP = """
void loop(double *a, int n) {
  #pragma omp parallel for SCHEDULE
  for (int i = 0; i < n; i++)
    a[i] += i;
}
"""


class Case(ToolCase):
    def amp_run(self, *words, **options):
        return self.run_tool("amp-run", *words, **options)

    @property
    def yields(self):
        """The library that amp-run preloads into folded programs."""
        return self.library.parent / "libamp-yield.so"

    @property
    def library(self):
        """The library as amp-run names it."""
        return self.bin.parent / "lib/libgomp-amp/libgomp.so.1"
