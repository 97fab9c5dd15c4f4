// SPDX-License-Identifier: GPL-3.0-or-later
// The C++ part of sums.c: a template's loop that every mode routes.

template <typename T> static long sum_of(T n) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (T i = 1; i <= n; i++)
    sum += i;
  return sum;
}

extern "C" long cxx_sum(int n) { return sum_of(n); }
