/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops without a schedule clause, one a function, that every mode routes.

   expect parallel_for 1 1 1 GOMP_parallel_loop_nonmonotonic_runtime
   expect inner_for 1 1 1 GOMP_loop_nonmonotonic_runtime_start
   expect bounds_at_run_time 1 1 1
   expect collapsed 1 1 1
   expect backwards 1 1 1
   expect unsigned_long_long 1 1 1 GOMP_loop_ull_nonmonotonic_runtime_start
   expect pointer 1 1 1
   expect last_private 1 1 1
   expect sum 1 1 1
   expect task_sum 1 1 1 GOMP_loop_nonmonotonic_runtime_next
   expect for_simd 1 1 1
   expect parallel_for_simd 1 1 1
   expect parallel_for_simd_collapsed 1 1 1
   expect cancellable 1 1 1
   expect nested 2 2 2
   expect nowait_at_end 1 1 1
   expect in_host_teams 1 1 1  */

#include "check.h"

enum { N = 1000 };
static int a[N];
static volatile int end = N;

static void
parallel_for (void)
{
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    a[i] += i;
}

static void
inner_for (void)
{
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < N; i++)
      a[i] += i;
#pragma omp critical
    a[0]++;
  }
}

static void
bounds_at_run_time (void)
{
  int n = end, step = end / N;
#pragma omp parallel for
  for (int i = 0; i < n; i += step)
    a[i] += i;
}

static void
collapsed (void)
{
  int n = end / 10;
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 10; j++)
      a[i * 10 + j] += i * 10 + j;
}

static void
backwards (void)
{
#pragma omp parallel for
  for (long i = N - 1; i >= 0; i--)
    a[i] += i;
}

static void
unsigned_long_long (void)
{
  unsigned long long base = -(unsigned long long) N;
#pragma omp parallel
  {
#pragma omp for
    for (unsigned long long i = base - 1; i < base - 1 + N; i++)
      a[i - (base - 1)] += i - (base - 1);
#pragma omp critical
    a[0]++;
  }
}

static void
pointer (void)
{
#pragma omp parallel for
  for (int *p = a; p < a + N; p++)
    *p += p - a;
}

static int
last_private (void)
{
  int last = -1, i;
#pragma omp parallel for lastprivate(last, i)
  for (i = 0; i < N; i++)
    last = i * 2;
  return last + i;
}

static long
sum (void)
{
  long s = 0;
#pragma omp parallel for reduction(+:s)
  for (int i = 0; i < N; i++)
    s += i;
  return s;
}

static long
task_sum (void)
{
  long s = 0;
#pragma omp parallel
#pragma omp for reduction(task, +:s)
  for (int i = 0; i < N; i++)
#pragma omp task in_reduction(+:s)
    s += i;
  return s;
}

static void
for_simd (void)
{
#pragma omp parallel
  {
#pragma omp for simd
    for (int i = 0; i < N; i++)
      a[i] += i;
#pragma omp critical
    a[0]++;
  }
}

static long
parallel_for_simd (void)
{
  long s = 0;
  int last = 0;
#pragma omp parallel for simd reduction(+:s) lastprivate(last)
  for (int i = 0; i < N; i++)
    {
      s += i;
      last = i;
    }
  return s + last;
}

static void
parallel_for_simd_collapsed (void)
{
  int n = end / 10;
#pragma omp parallel for simd collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 10; j++)
      a[i * 10 + j] += i * 10 + j;
}

static int
cancellable (void)
{
  int done = 0;
#pragma omp parallel
  {
#pragma omp for reduction(+:done)
    for (int i = 0; i < N; i++)
      {
        done++;
#pragma omp cancel for if (i < 0)
      }
  }
  return done;
}

static int
nested (void)
{
  int count = 0;
#pragma omp parallel for reduction(+:count) num_threads(2)
  for (int i = 0; i < 10; i++)
    {
      int inner = 0;
#pragma omp parallel for reduction(+:inner) num_threads(2)
      for (int j = 0; j < 10; j++)
        inner++;
      count += inner;
    }
  return count;
}

static void
nowait_at_end (void)
{
#pragma omp parallel
  {
    int one = 1;
#pragma omp critical
    a[0] += one;
#pragma omp for nowait
    for (int i = 0; i < N; i++)
      a[i] += i;
  }
}

static void
in_host_teams (void)
{
#pragma omp teams num_teams(1)
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    a[i] += i;
}

/* Run F, which adds i to each a[i] (what it does to a[0] is its own). */
static void
adds (const char *name, void (*f) (void))
{
  for (int i = 0; i < N; i++)
    a[i] = 0;
  f ();
  int wrong = 0;
  for (int i = 1; i < N; i++)
    wrong += a[i] != i;
  check (name, wrong, 0);
}

int
main (void)
{
  adds ("parallel_for", parallel_for);
  adds ("inner_for", inner_for);
  adds ("bounds_at_run_time", bounds_at_run_time);
  adds ("collapsed", collapsed);
  adds ("backwards", backwards);
  adds ("unsigned_long_long", unsigned_long_long);
  adds ("pointer", pointer);
  adds ("for_simd", for_simd);
  adds ("parallel_for_simd_collapsed", parallel_for_simd_collapsed);
  adds ("nowait_at_end", nowait_at_end);
  adds ("in_host_teams", in_host_teams);
  check ("last_private", last_private (), (N - 1) * 2 + N);
  check ("sum", sum (), N * (N - 1L) / 2);
  check ("task_sum", task_sum (), N * (N - 1L) / 2);
  check ("parallel_for_simd", parallel_for_simd (), N * (N - 1L) / 2 + N - 1);
  check ("cancellable", cancellable (), N);
  check ("nested", nested (), 100);
  return failures;
}
