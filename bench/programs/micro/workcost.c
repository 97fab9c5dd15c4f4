/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long library functions take, in the units of amp-gcc --amp-count: where the costs of
   gcc-patch/count/work.def come from.  Each is called --calls times in a row, on arguments in its
   cache; the least time of --rounds such rows counts, since all that disturbs a run only makes it
   longer.  */

#define _GNU_SOURCE
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static long calls = 2000, rounds = 200;
static long unit_ps = 1000;

static double x = .7312, y = 1.291, sink;
static float xf = .7312f, sink_f;
static char *from, *to, *block;

static double
now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);
  return 1e9 * time.tv_sec + time.tv_nsec;
}

/* The least nanoseconds that STATEMENT takes, the loop around it included.  */
#define LEAST(statement)                                                                           \
  ({                                                                                               \
    double least = 1e18;                                                                           \
    for (long round = 0; round < rounds; round++)                                                  \
      {                                                                                            \
        double begun = now ();                                                                     \
        for (long call = 0; call < calls; call++)                                                  \
          {                                                                                        \
            __asm__ volatile ("" : "+m"(x), "+m"(y), "+m"(xf), "+m"(from), "+m"(to));              \
            statement;                                                                             \
          }                                                                                        \
        double ns = (now () - begun) / calls;                                                      \
        least = ns < least ? ns : least;                                                           \
      }                                                                                            \
    least;                                                                                         \
  })

static void
print (const char *name, double ns)
{
  printf ("AMP_WORK (\"%s\", %.0f)\n", name, ns * 1e3 / unit_ps);
}

#define OF_DOUBLE(name, ...) print (#name, LEAST (sink = name (__VA_ARGS__)))
#define OF_FLOAT(name, ...) print (#name, LEAST (sink_f = name (__VA_ARGS__)))

static void
mathematics (void)
{
  double cosine;

  OF_DOUBLE (exp, x);
  OF_DOUBLE (exp2, x);
  OF_DOUBLE (expm1, x);
  OF_DOUBLE (log, x);
  OF_DOUBLE (log2, x);
  OF_DOUBLE (log10, x);
  OF_DOUBLE (log1p, x);
  OF_DOUBLE (pow, x, y);
  OF_DOUBLE (sin, x);
  OF_DOUBLE (cos, x);
  OF_DOUBLE (tan, x);
  OF_DOUBLE (asin, x);
  OF_DOUBLE (acos, x);
  OF_DOUBLE (atan, x);
  OF_DOUBLE (atan2, x, y);
  OF_DOUBLE (sinh, x);
  OF_DOUBLE (cosh, x);
  OF_DOUBLE (tanh, x);
  OF_DOUBLE (erf, x);
  OF_DOUBLE (erfc, x);
  OF_DOUBLE (hypot, x, y);
  OF_DOUBLE (cbrt, x);
  OF_DOUBLE (fmod, y, x);
  OF_DOUBLE (sqrt, x);
  print ("sincos", LEAST (sincos (x, &sink, &cosine)));
  OF_DOUBLE (fmin, x, y);
  OF_DOUBLE (floor, x);
  OF_DOUBLE (lround, x);
  OF_FLOAT (expf, xf);
  OF_FLOAT (logf, xf);
  OF_FLOAT (powf, xf, xf);
  OF_FLOAT (sinf, xf);
  OF_FLOAT (cosf, xf);
  OF_FLOAT (sqrtf, xf);
}

static int
compare (const void *a, const void *b)
{
  return memcmp (a, b, 16);
}

/* Of blocks: a call for no bytes, and how many bytes a unit moves.  */
#define OF_BLOCK(name, call)                                                                       \
  do                                                                                               \
    {                                                                                              \
      long size = 0;                                                                               \
      __asm__ volatile ("" : "+r"(size));                                                          \
      double none = LEAST (call);                                                                  \
      size = 8192;                                                                                 \
      double bytes = size / (LEAST (call) - none);                                                 \
      printf ("%s: %.0f, and one for each %.0f bytes\n", name, none * 1e3 / unit_ps,               \
              bytes *unit_ps / 1e3);                                                               \
    }                                                                                              \
  while (0)

static void
memory (void)
{
  OF_BLOCK ("memcpy", memcpy (to, from, size));
  OF_BLOCK ("memmove", memmove (to, from, size));
  OF_BLOCK ("memset", memset (to, 0, size));
  OF_BLOCK ("memcmp", sink = memcmp (to, from, size));
  print ("snprintf", LEAST (snprintf (to, 100, "%g", x)));
  print ("qsort, an element", LEAST (qsort (from, 512, 16, compare)) / 512);
  print ("malloc and free", LEAST (block = malloc (100); free (block)));
  print ("calloc and free", LEAST (block = calloc (1, 100); free (block)));
}

/* Without the loop around them, which is as long as a load.  */
static void
atomics (void)
{
  static long word;
  long old = 0, load = 0;
  double loop = LEAST ((void) 0);

#define OF_ATOMIC(name, statement)                                                                 \
  printf ("AMP_ATOMIC (%s, %.0f)\n", name, (LEAST (statement) - loop) * 1e3 / unit_ps)
  OF_ATOMIC ("LOAD", load = __atomic_load_n (&word, __ATOMIC_ACQUIRE));
  OF_ATOMIC ("STORE", __atomic_store_n (&word, load, __ATOMIC_RELEASE));
  OF_ATOMIC ("CHANGE", __atomic_fetch_add (&word, 1, __ATOMIC_RELAXED));
  OF_ATOMIC ("CHANGE, a store", __atomic_store_n (&word, 1, __ATOMIC_SEQ_CST));
  OF_ATOMIC ("CHANGE, a comparison",
             __atomic_compare_exchange_n (&word, &old, 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  OF_ATOMIC ("FENCE", __atomic_thread_fence (__ATOMIC_SEQ_CST));
}

int
main (int argc, char **argv)
{
  bench_options (argc, argv, "prints what functions and atomics cost in units of counted work.",
                 { "calls", &calls, 1, 100000000, "calls in a row", NULL },
                 { "rounds", &rounds, 1, 1000000, "rows, of which the fastest counts", NULL },
                 { "unit-ps", &unit_ps, 1, 1000000, "picoseconds of a unit", NULL });
  from = bench_allocate (1, 8192);
  to = bench_allocate (1, 8192);
  mathematics ();
  memory ();
  atomics ();
  return 0;
}
