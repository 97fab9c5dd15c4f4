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

/* One option, given on the command line as --NAME=VALUE: a whole number, or one of several
   words.  */
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

/* The smaller one of two.  */
static inline long
bench_least (long a, long b)
{
  return a < b ? a : b;
}

/* What one thread counts, on a cache line of its own.  */
struct bench_tally
{
  long count;
} __attribute__ ((aligned (64)));

/* One for each thread of a team, all zero, and the sum of what they have counted.  */
struct bench_tally *bench_tallies (void);
long bench_sum (const struct bench_tally *tallies);

/* The median of the COUNT numbers in X, at least one, which it sorts.  */
double bench_median (double *x, size_t count);

/* COUNT times SIZE bytes, all zero.  Refuses to run where memory is short.  */
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

/* Read ARGV into the values of the options that follow SUMMARY, each a bench_option in braces.
   SUMMARY, one sentence, heads what --help prints.  A bad argument is refused.  */
#define bench_options(argc, argv, summary, ...) \
  bench_read_options (argc, argv, summary, (const struct bench_option[]){ __VA_ARGS__, { 0 } })

/* Say on stderr that this is why nothing was run, and exit with status 2.  */
void bench_refuse (const char *format, ...) __attribute__ ((noreturn, format (printf, 1, 2)));

/* The versions of a program: words of the option --with.  */
enum bench_way
{
  BENCH_TASKS,
  BENCH_LOOPS
};
extern const char *const bench_ways[];

void bench_read_options (int argc, char **argv, const char *summary,
			 const struct bench_option *options);

/* Begin and end the timed part of a program.  It may be run several times: its seconds add up, and
   bench_stop returns their sum.  */
void bench_start (void);
double bench_stop (void);

/* Say whether an answer of the timed part is right.  Returns whether all were.  */
int bench_verify (int right);

/* Print the result line

     result: seconds=S verified=V threads=T amp=A EXTRA runtime=PATH

   in which A is the version of libgomp-amp in the process (0: another runtime serves it) and PATH
   the file of the OpenMP runtime.  S is the time between bench_start and bench_stop, V whether
   every answer was right, EXTRA further NAME=VALUE fields or null.  Returns the status to exit
   with: 0, or 1 if not V.  */
int bench_result (const char *extra);

/* The same for a program that took the time otherwise.  */
int bench_print_result (double seconds, int verified, const char *extra);

#ifdef __cplusplus
}
#endif

#endif
