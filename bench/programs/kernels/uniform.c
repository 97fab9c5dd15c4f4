/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A loop of equal, short, purely arithmetic iterations, run many times: what scheduling itself
   costs shows here, and what a scheduler makes of unequal cores shows undisturbed by memory.  */

#include "bench.h"

#include <stdint.h>
#include <stdio.h>

/* Iteration I's value: STEPS dependent multiplications and additions, 4 to 5 cycles each.  */
static uint64_t __attribute__ ((noipa))
spin (uint64_t i, long steps)
{
  uint64_t x = i;
  for (long s = 0; s < steps; s++)
    x = x * UINT64_C (6364136223846793005) + UINT64_C (1442695040888963407);
  return x ^ (x >> 29);
}

int
main (int argc, char **argv)
{
  long iterations = 20000, steps = 150, repeats = 1000;
  bench_options (argc, argv, "Run a loop of uniform short iterations.",
      { "iterations", &iterations, 0, 1L << 40, "iterations of the loop", NULL },
      { "steps", &steps, 1, 1L << 40, "steps of an iteration, about 0.7 ns each", NULL },
      { "repeats", &repeats, 1, 1L << 40, "times the loop is run", NULL });

  uint64_t once = 0;
  for (long i = 0; i < iterations; i++)
    once += spin (i, steps);

  uint64_t sum = 0;
  bench_start ();
#pragma omp parallel reduction(+ : sum)
  for (long r = 0; r < repeats; r++)
    {
#pragma omp for
      for (long i = 0; i < iterations; i++)
	sum += spin (i, steps);
    }
  double seconds = bench_stop ();

  char extra[64];
  snprintf (extra, sizeof extra, "ns_per_loop=%.1f", 1e9 * seconds / repeats);
  bench_verify (sum == once * (uint64_t) repeats);
  return bench_result (extra);
}
