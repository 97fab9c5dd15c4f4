// SPDX-License-Identifier: GPL-3.0-or-later
// A module with a region and a loop, which is loaded and unloaded.

extern "C" long run(long n) {
  long count = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : count)
  for (long i = 0; i < n; i++)
    count++;
  return count;
}
