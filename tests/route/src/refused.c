/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops that no mode routes, and their next of kin that are, one a function.

   expect simd_only 0 0 0
   expect distribute 0 0 0
   expect distribute_parallel_for 0 0 0
   expect distribute_parallel_for_simd 0 0 0
   expect taskloop 0 0 0
   expect target_parallel_for 0 0 0
   expect target_inner_for 0 0 0
   expect declared_target 0 0 0
   expect called_from_target 0 0 0
   expect triangle 0 0 0
   expect triangle_in_parallel 0 0 0
   expect inscan_for 0 0 0
   expect inscan_parallel_for 0 0 0
   expect inscan_for_simd 0 0 0
   expect order_concurrent 0 0 0
   expect order_reproducible 0 0 0
   expect order_unconstrained 0 0 0
   expect loop_construct 0 0 0
   expect parallel_loop 0 0 0
   expect teams_loop 0 0 0
   expect doacross 0 0 0
   expect ordered_for 0 0 0
   expect parallel_ordered 0 0 0
   expect ordered_collapsed 0 0 0
   always ordered_for 1 GOMP_loop_ordered_static_start
   expect last_conditional 0 0 0
   expect last_conditional_collapsed 0 0 0
   expect unsigned_down 0 0 0
   expect unsigned_short_down 0 0 0
   expect unsigned_not_equal_down 0 0 0
   expect unsigned_step_down 0 0 0
   expect int128_up 0 0 0
   expect int128_down 0 0 0
   expect uint128_up 0 0 0
   expect int128_inner 0 0 0
   expect int128_outer 0 0 0
   expect unsigned_up 1 1 1
   expect unsigned_not_equal_up 1 1 1
   expect unsigned_long_down 1 1 1
   expect unsigned_down_collapsed 1 1 1  */

#include "check.h"

enum { N = 1000 };
static int a[N];

static void
simd_only (void)
{
#pragma omp simd
  for (int i = 0; i < N; i++)
    a[i] += i;
}

static void
distribute (void)
{
#pragma omp teams num_teams(2)
#pragma omp distribute
  for (int i = 0; i < N; i++)
    a[i] += i;
}

static void
distribute_parallel_for (void)
{
#pragma omp teams distribute parallel for num_teams(2)
  for (int i = 0; i < N; i++)
    a[i] += i;
}

static void
distribute_parallel_for_simd (void)
{
#pragma omp teams distribute parallel for simd num_teams(2)
  for (int i = 0; i < N; i++)
    a[i] += i;
}

static void
taskloop (void)
{
#pragma omp parallel
#pragma omp single
#pragma omp taskloop
  for (int i = 0; i < N; i++)
    a[i] += i;
}

static void
target_parallel_for (void)
{
#pragma omp target parallel for map(tofrom: a)
  for (int i = 0; i < N; i++)
    a[i] += i;
}

static void
target_inner_for (void)
{
#pragma omp target map(tofrom: a)
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < N; i++)
      a[i] += i;
  }
}

#pragma omp declare target
static void
declared_target (int *x)
{
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    x[i] += i;
}
#pragma omp end declare target

static void
called_from_target (int *x)
{
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    x[i] += i;
}

static void
targets (void)
{
#pragma omp target map(tofrom: a)
  called_from_target (a);
}

static void
declared (void)
{
  declared_target (a);
}

static int
triangle (void)
{
  int count = 0;
#pragma omp parallel for collapse(2) reduction(+:count)
  for (int i = 0; i < 100; i++)
    for (int j = 0; j < i; j++)
      count++;
  return count;
}

static int
triangle_in_parallel (void)
{
  int count = 0;
#pragma omp parallel reduction(+:count)
  {
#pragma omp for collapse(2)
    for (int i = 0; i < 100; i++)
      for (int j = i; j < 100; j++)
        count++;
  }
  return count;
}

static int b[N];

static void
inscan_for (void)
{
  int s = 0;
#pragma omp parallel
#pragma omp for reduction(inscan, +:s)
  for (int i = 0; i < N; i++)
    {
      s += i;
#pragma omp scan inclusive(s)
      b[i] = s;
    }
}

static void
inscan_parallel_for (void)
{
  int s = 0;
#pragma omp parallel for reduction(inscan, +:s)
  for (int i = 0; i < N; i++)
    {
      s += i;
#pragma omp scan inclusive(s)
      b[i] = s;
    }
}

static void
inscan_for_simd (void)
{
  int s = 0;
#pragma omp parallel for simd reduction(inscan, +:s)
  for (int i = 0; i < N; i++)
    {
      s += i;
#pragma omp scan inclusive(s)
      b[i] = s;
    }
}

static void
order_concurrent (void)
{
#pragma omp parallel for order(concurrent)
  for (int i = 0; i < N; i++)
    a[i] += i;
}

static void
order_reproducible (void)
{
#pragma omp parallel for order(reproducible: concurrent)
  for (int i = 0; i < N; i++)
    a[i] += i;
}

static void
order_unconstrained (void)
{
#pragma omp parallel for order(unconstrained: concurrent)
  for (int i = 0; i < N; i++)
    a[i] += i;
}

static void
loop_construct (void)
{
#pragma omp parallel
  {
#pragma omp loop
    for (int i = 0; i < N; i++)
      a[i] += i;
  }
}

static void
parallel_loop (void)
{
#pragma omp parallel loop
  for (int i = 0; i < N; i++)
    a[i] += i;
}

static void
teams_loop (void)
{
#pragma omp teams loop num_teams(2)
  for (int i = 0; i < N; i++)
    a[i] += i;
}

static void
doacross (void)
{
#pragma omp parallel for ordered(1)
  for (int i = 0; i < N; i++)
    {
#pragma omp ordered depend(sink: i - 1)
      b[i] = i ? b[i - 1] + i : 0;
#pragma omp ordered depend(source)
    }
}

static int
ordered_for (void)
{
  int next = 0, wrong = 0;
#pragma omp parallel
  {
#pragma omp for ordered
    for (int i = 0; i < N; i++)
#pragma omp ordered
      wrong += next++ != i;
#pragma omp critical
    a[0] += 0;
  }
  return wrong;
}

static int
parallel_ordered (void)
{
  int next = 0, wrong = 0;
#pragma omp parallel for ordered
  for (int i = 0; i < N; i++)
#pragma omp ordered
    wrong += next++ != i;
  return wrong;
}

static int
ordered_collapsed (void)
{
  int next = 0, wrong = 0;
#pragma omp parallel for ordered collapse(2)
  for (int i = 0; i < 10; i++)
    for (long j = 0; j < 20; j++)
#pragma omp ordered
      wrong += next++ != i * 20 + j;
  return wrong;
}

static int
last_conditional (void)
{
  int last = -1;
#pragma omp parallel
  {
#pragma omp for lastprivate(conditional: last)
    for (int i = 0; i < N; i++)
      if (i % 7 == 3)
        last = i;
  }
  return last;
}

static int
last_conditional_collapsed (void)
{
  int last = -1;
#pragma omp parallel for collapse(2) lastprivate(conditional: last)
  for (int i = 0; i < N / 10; i++)
    for (int j = 9; j >= 0; j--)
      if (j == 3)
        last = i;
  return last;
}

/* The library counts in 64 bits.  GCC would truncate these bounds.  */

static const __int128 far = (__int128) 1 << 70;

static void
int128_up (void)
{
#pragma omp parallel for
  for (__int128 i = far; i < far + N; i++)
    a[i - far] += i - far;
}

static void
int128_down (void)
{
#pragma omp parallel
  {
#pragma omp for
    for (__int128 i = -far; i > -far - N; i--)
      a[-far - i] += -far - i;
  }
}

static void
uint128_up (void)
{
  unsigned __int128 first = -(unsigned __int128) far;
#pragma omp parallel for
  for (unsigned __int128 i = first; i != first + N; i++)
    a[(int) (i - first)] += i - first;
}

static void
int128_inner (void)
{
#pragma omp parallel for collapse(2)
  for (int j = 0; j < 10; j++)
    for (__int128 i = far; i < far + N / 10; i++)
      a[i - far + j * (N / 10)] += i - far + j * (N / 10);
}

static void
int128_outer (void)
{
#pragma omp parallel for simd collapse(2)
  for (__int128 i = far; i < far + N / 10; i++)
    for (int j = 0; j < 10; j++)
      a[i - far + j * (N / 10)] += i - far + j * (N / 10);
}

/* GCC makes loops of no iterations of the first four, given any schedule but
   static; the other four are well.  */

static void
unsigned_down (void)
{
#pragma omp parallel for
  for (unsigned i = N - 1; i > 0; i--)
    a[i] += i;
}

static void
unsigned_short_down (void)
{
#pragma omp parallel
  {
#pragma omp for
    for (unsigned short i = N - 1; i >= 1; i--)
      a[i] += i;
  }
}

static volatile unsigned zero;

static void
unsigned_not_equal_down (void)
{
  unsigned end = zero;
#pragma omp parallel for
  for (unsigned i = N - 1; i != end; i--)
    a[i] += i;
}

static void
unsigned_step_down (void)
{
#pragma omp parallel for
  for (unsigned i = N; i > 1; i -= 2)
    {
      a[i - 1] += i - 1;
      a[i - 2] += i - 2;
    }
}

static void
unsigned_up (void)
{
#pragma omp parallel for
  for (unsigned i = 0; i < N; i++)
    a[i] += i;
}

static void
unsigned_not_equal_up (void)
{
#pragma omp parallel for
  for (unsigned i = 0; i != N; i++)
    a[i] += i;
}

static void
unsigned_long_down (void)
{
#pragma omp parallel for
  for (unsigned long i = N - 1; i > 0; i--)
    a[i] += i;
}

static void
unsigned_down_collapsed (void)
{
#pragma omp parallel for collapse(2)
  for (unsigned i = N / 10; i > 0; i--)
    for (unsigned short j = 10; j > 0; j--)
      a[i * 10 - j] += i * 10 - j;
}

static void
adds (const char *name, void (*f) (void))
{
  for (int i = 0; i < N; i++)
    a[i] = 0;
  f ();
  int wrong = 0;
  for (int i = 0; i < N; i++)
    wrong += a[i] != i;
  check (name, wrong, 0);
}

static void
scans (const char *name, void (*f) (void))
{
  for (int i = 0; i < N; i++)
    b[i] = 0;
  f ();
  int wrong = 0;
  for (int i = 0; i < N; i++)
    wrong += b[i] != i * (i + 1) / 2;
  check (name, wrong, 0);
}

int
main (void)
{
  adds ("simd_only", simd_only);
  adds ("distribute", distribute);
  adds ("distribute_parallel_for", distribute_parallel_for);
  adds ("distribute_parallel_for_simd", distribute_parallel_for_simd);
  adds ("taskloop", taskloop);
  adds ("target_parallel_for", target_parallel_for);
  adds ("target_inner_for", target_inner_for);
  adds ("declared_target", declared);
  adds ("called_from_target", targets);
  adds ("order_concurrent", order_concurrent);
  adds ("order_reproducible", order_reproducible);
  adds ("order_unconstrained", order_unconstrained);
  adds ("loop_construct", loop_construct);
  adds ("parallel_loop", parallel_loop);
  adds ("teams_loop", teams_loop);
  adds ("unsigned_down", unsigned_down);
  adds ("unsigned_short_down", unsigned_short_down);
  adds ("unsigned_not_equal_down", unsigned_not_equal_down);
  adds ("unsigned_step_down", unsigned_step_down);
  adds ("int128_up", int128_up);
  adds ("int128_down", int128_down);
  adds ("uint128_up", uint128_up);
  adds ("int128_inner", int128_inner);
  adds ("int128_outer", int128_outer);
  adds ("unsigned_up", unsigned_up);
  adds ("unsigned_not_equal_up", unsigned_not_equal_up);
  adds ("unsigned_long_down", unsigned_long_down);
  adds ("unsigned_down_collapsed", unsigned_down_collapsed);
  scans ("inscan_for", inscan_for);
  scans ("inscan_parallel_for", inscan_parallel_for);
  scans ("inscan_for_simd", inscan_for_simd);
  scans ("doacross", doacross);
  check ("ordered_for", ordered_for (), 0);
  check ("parallel_ordered", parallel_ordered (), 0);
  check ("ordered_collapsed", ordered_collapsed (), 0);
  check ("last_conditional", last_conditional (), 997);
  check ("last_conditional_collapsed", last_conditional_collapsed (), 99);
  check ("triangle", triangle (), 4950);
  check ("triangle_in_parallel", triangle_in_parallel (), 5050);
  return failures;
}
