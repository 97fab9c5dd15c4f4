/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops over an unsigned type as wide as long, one bound of which is a constant
   and the other may be larger than the largest long: then there are no
   iterations.  GCC counts those in long, given any schedule but static.

   expect up 1 1 1 GOMP_loop_ull_nonmonotonic_runtime_start
   expect up_to 1 1 1 GOMP_loop_ull_nonmonotonic_runtime_start
   expect down 1 1 1 GOMP_loop_ull_nonmonotonic_runtime_start
   expect down_to 1 1 1 GOMP_loop_ull_nonmonotonic_runtime_start
   expect inner 1 1 1 GOMP_loop_ull_nonmonotonic_runtime_start
   expect orphaned 1 1 1 GOMP_loop_ull_nonmonotonic_runtime_start
   expect simd 1 1 1 GOMP_loop_ull_nonmonotonic_runtime_start
   expect last_private 1 1 1 GOMP_loop_ull_nonmonotonic_runtime_start
   expect task_sum 1 1 1 GOMP_loop_ull_nonmonotonic_runtime_next
   expect both_known 1 1 1 GOMP_loop_ull_nonmonotonic_runtime_start
   expect both_small 1 1 1 GOMP_loop_nonmonotonic_runtime_start
   expect variable_end 1 1 1 GOMP_loop_ull_nonmonotonic_runtime_start  */

#include <limits.h>
#include "check.h"

typedef unsigned long (*loop) (unsigned long);

unsigned long
up (unsigned long from)
{
  unsigned long n = 0;
#pragma omp parallel for default(none) shared(from) reduction(+:n)
  for (unsigned long i = from; i < 100; i++)
    n += i;
  return n;
}

unsigned long
up_to (unsigned long from)
{
  unsigned long n = 0;
#pragma omp parallel for reduction(+:n)
  for (unsigned long i = from; i <= 99; i += 1)
    n += i;
  return n;
}

unsigned long
down (unsigned long to)
{
  unsigned long n = 0;
#pragma omp parallel for default(none) shared(to) reduction(+:n)
  for (unsigned long i = 99; i > to; i--)
    n += i;
  return n;
}

unsigned long
down_to (unsigned long to)
{
  unsigned long n = 0;
#pragma omp parallel for reduction(+:n)
  for (unsigned long i = 99; i >= to; i--)
    n += i;
  return n;
}

unsigned long
inner (unsigned long from)
{
  unsigned long n = 0;
#pragma omp parallel
  {
#pragma omp for reduction(+:n)
    for (unsigned long i = from; i < 100; i++)
      n += i;
#pragma omp critical
    n += 0;
  }
  return n;
}

static unsigned long total;

__attribute__ ((noinline)) void
orphaned (unsigned long from)
{
#pragma omp for reduction(+:total)
  for (unsigned long i = from; i < 100; i++)
    total += i;
}

unsigned long
calls_orphaned (unsigned long from)
{
  total = 0;
#pragma omp parallel
  orphaned (from);
  return total;
}

unsigned long
simd (unsigned long from)
{
  unsigned long n = 0;
#pragma omp parallel for simd reduction(+:n)
  for (unsigned long i = from; i < 100; i++)
    n += i;
  return n;
}

unsigned long
last_private (unsigned long from)
{
  unsigned long n = 0, i = 0, last = 0;
#pragma omp parallel for reduction(+:n) lastprivate(i, last)
  for (i = from; i < 100; i++)
    {
      n += i;
      last = i;
    }
  return n > 0 && (last != 99 || i != 100) ? -1 : n;
}

unsigned long
task_sum (unsigned long from)
{
  unsigned long n = 0;
#pragma omp parallel
#pragma omp for reduction(task, +:n)
  for (unsigned long i = from; i < 100; i++)
#pragma omp task in_reduction(+:n)
    n += i;
  return n;
}

unsigned long
both_known (void)
{
  unsigned long n = 0;
#pragma omp parallel for reduction(+:n)
  for (unsigned long i = ULONG_MAX - 10; i < 100; i++)
    n++;
  return n;
}

unsigned long
both_small (void)
{
  unsigned long n = 0;
#pragma omp parallel for reduction(+:n)
  for (unsigned long i = 90; i < 100; i++)
    n += i;
  return n;
}

unsigned long
variable_end (unsigned long to)
{
  unsigned long n = 0;
#pragma omp parallel for reduction(+:n)
  for (unsigned long i = ULONG_MAX - 10; i < to; i++)
    n++;
  return n;
}

int
main (void)
{
  static const struct { const char *name; loop run; unsigned long near; } loops[]
    = { { "up", up, 90 },
        { "up_to", up_to, 90 },
        { "down", down, 89 },
        { "down_to", down_to, 90 },
        { "inner", inner, 90 },
        { "orphaned", calls_orphaned, 90 },
        { "simd", simd, 90 },
        { "last_private", last_private, 90 },
        { "task_sum", task_sum, 90 } };
  for (unsigned l = 0; l < sizeof loops / sizeof loops[0]; l++)
    {
      check (loops[l].name, loops[l].run (loops[l].near), 945);
      check (loops[l].name, loops[l].run (LONG_MAX), 0);
      check (loops[l].name, loops[l].run (ULONG_MAX - 1000), 0);
      check (loops[l].name, loops[l].run (ULONG_MAX - 1), 0);
    }
  check ("both_known", both_known (), 0);
  check ("both_small", both_small (), 945);
  check ("variable_end", variable_end (ULONG_MAX), 10);
  check ("variable_end", variable_end (100), 0);
  return failures;
}
