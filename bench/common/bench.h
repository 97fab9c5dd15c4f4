/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the benchmark programs share: a clock, options, and the result line that
   bench/run reads.  */

#ifndef BENCH_H
#define BENCH_H 1

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One option, given on the command line as --NAME=VALUE: a whole number, or one of several words.
   A table of them ends in an entry whose NAME is null.  */
struct bench_option
{
  const char *name;
  /* Where the value goes; holds the default beforehand.  Of a word, its index in WORDS.  */
  long *value;
  /* The smallest and the largest number accepted.  */
  long least, most;
  const char *help;
  /* The words accepted, ending in a null; or null, if a number is wanted.  */
  const char *const *words;
};

/* Seconds since an arbitrary moment, from OpenMP's clock: what a program has to read for its times
   to be those of the machine that amp-emu virtual emulates.  */
double bench_now (void);

/* The median of the COUNT numbers in X, at least one, which it sorts.  */
double bench_median (double *x, size_t count);

/* COUNT times SIZE bytes, all zero. If memory is short, says so on stderr and exits with status
   2.  */
void *bench_allocate (size_t count, size_t size);

/* The number at place I of the sequence called SEED: 64 bits, of which any are as good as random.
   Every place can be had at once, so that inputs can be made in parallel, and by any number of
   threads alike.  (The finalizer of SplitMix64: Steele, Lea, Flood, OOPSLA 2014.)  */
static inline uint64_t
bench_random (uint64_t seed, uint64_t i)
{
  uint64_t x = (seed + 1) * UINT64_C (0x9e3779b97f4a7c15) + i * UINT64_C (0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 30)) * UINT64_C (0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C (0x94d049bb133111eb);
  return x ^ (x >> 31);
}

/* The same as a number from 0 to, exclusive, 1.  */
static inline double
bench_uniform (uint64_t seed, uint64_t i)
{
  return (double) (bench_random (seed, i) >> 11) * 0x1p-53;
}

/* Read ARGV into the values of OPTIONS.  SUMMARY, one sentence, heads what --help prints.  On a bad
   argument say so on stderr and exit with status 2.  */
void bench_options (int argc, char **argv, const char *summary,
		    const struct bench_option *options);

/* Print the result line

     result: seconds=S verified=V threads=T amp=A EXTRA runtime=PATH

   in which A is the version of libgomp-amp in the process (0: another runtime serves it) and PATH
   the file of the OpenMP runtime.  SECONDS is the timed part, VERIFIED whether the answer is right,
   EXTRA further NAME=VALUE fields or null.  Returns the status to exit with: 0, or 1 if not
   VERIFIED.  */
int bench_result (double seconds, int verified, const char *extra);

#ifdef __cplusplus
}
#endif

#endif
