/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops with schedule(static), on whose mapping another piece of the program
   relies, or might, or can't.

   flags -Wno-unused-function
   expect combined 0 1 0
   expect sole 0 1 0
   expect region_in_a_loop 0 1 0
   expect calls_in_loop 0 1 0
   expect calls_in_single 0 1 0
   expect calls_helper 0 1 0
   expect calls_library 0 1 0
   expect task_calls 0 1 0
   expect two_with_barrier 0 0 0
   expect beside_dynamic 0 0 0
   expect beside_sections 0 1 0
   expect loop_in_a_loop 0 0 0
   expect goto_back 0 0 0
   expect orphaned 0 0 0
   expect calls_orphaned 0 0 0
   expect calls_elsewhere 0 0 0
   expect calls_in_bound 0 0 0
   expect calls_pointer 0 0 0
   expect calls_helper_of_others 0 0 0
   expect calls_weak 0 0 0
   expect number_in_loop 0 0 0
   expect number_in_region 0 0 0
   expect threadprivate_count 0 0 0
   expect carried_state 0 0 0
   expect carried_by_clause 0 0 0
   expect last_seen 0 0 0
   expect running_sum 0 0 0
   expect sums_of_threads 0 1 0
   expect scratch 0 1 0
   expect firstprivate_constant 0 1 0
   expect last_private 0 1 0
   expect unclaused 1 1 1  */

#include <omp.h>
#include <stdlib.h>
#include "check.h"

enum { N = 1000, THREADS = 64 };
static int a[N];
static volatile int yes = 1;

/* Another translation unit could hold it: the linker calls it by this name.  */
extern int elsewhere (int) __asm__ ("defined_here");
int
defined_here (int i)
{
  return i;
}
static int (*volatile pointer) (int) = defined_here;

__attribute__ ((noinline)) static int
helper (int i)
{
  return i * yes;
}

__attribute__ ((noinline)) static int
helper_of_others (int i)
{
  return elsewhere (i);
}

__attribute__ ((weak, noinline)) int
weak (int i)
{
  return i;
}

static void
combined (void)
{
#pragma omp parallel for schedule(static)
  for (int i = 0; i < N; i++)
    a[i] += i;
}

static void
sole (void)
{
  int sum = 0;
#pragma omp parallel
  {
    int mine = 0;
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      {
        a[i] += i;
        mine += i;
      }
#pragma omp critical
    sum += mine;
  }
  check ("sole", sum, N * (N - 1) / 2);
}

static void
region_in_a_loop (void)
{
  for (int k = 0; k < 3; k++)
    {
#pragma omp parallel
      {
#pragma omp for schedule(static)
        for (int i = 0; i < N; i++)
          a[i] += k == 2 ? i : 0;
      }
    }
}

static void
calls_in_loop (void)
{
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      a[i] += elsewhere (i);
  }
}

static void
calls_in_single (void)
{
#pragma omp parallel
  {
#pragma omp single
    a[0] += elsewhere (0);
#pragma omp critical
    a[0] += elsewhere (0);
#pragma omp master
    a[0] += pointer (0);
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      a[i] += i;
  }
}

static void
calls_helper (void)
{
#pragma omp parallel
  {
    int zero = helper (0);
#pragma omp for schedule(static)
    for (int i = zero; i < N; i++)
      a[i] += i;
  }
}

static void
calls_library (void)
{
#pragma omp parallel
  {
    int *mine = calloc (omp_get_num_threads (), sizeof *mine);
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      a[i] += i + mine[0];
    free (mine);
  }
}

static void
task_calls (void)
{
#pragma omp parallel
  {
#pragma omp task
    elsewhere (0);
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      a[i] += i;
  }
}

static void
two_with_barrier (void)
{
  int wrong = 0;
#pragma omp parallel
  {
    char mine[N] = { 0 };
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      {
        later (i);
        mine[i] = 1;
      }
#pragma omp for schedule(static) reduction(+:wrong)
    for (int i = 0; i < N; i++)
      {
        a[i] += i;
        wrong += !mine[i];
      }
  }
  check ("two_with_barrier", wrong, 0);
}

static void
beside_dynamic (void)
{
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      a[i] += i;
#pragma omp for schedule(dynamic)
    for (int i = 0; i < N; i++)
      a[i] += 0;
  }
}

static void
beside_sections (void)
{
#pragma omp parallel
  {
#pragma omp sections
    {
#pragma omp section
      a[0] += elsewhere (0);
    }
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      a[i] += i;
  }
}

static void
loop_in_a_loop (void)
{
  int wrong = 0;
#pragma omp parallel reduction(+:wrong)
  {
    char mine[N] = { 0 };
    for (int k = 0; k < 2; k++)
      {
#pragma omp for schedule(static)
        for (int i = 0; i < N; i++)
          {
            later (i);
            wrong += k && !mine[i];
            mine[i] = 1;
            a[i] += k * i;
          }
      }
  }
  check ("loop_in_a_loop", wrong, 0);
}

static void
goto_back (void)
{
#pragma omp parallel
  {
    int k = 0;
  again:
    {
#pragma omp for schedule(static)
      for (int i = 0; i < N; i++)
        a[i] += k * i;
    }
    if (k++ < yes)
      goto again;
  }
}

__attribute__ ((noinline)) static void
orphaned (void)
{
#pragma omp for schedule(static)
  for (int i = 0; i < N; i++)
    a[i] += 0;
}

static void
calls_orphaned (void)
{
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      a[i] += i;
    orphaned ();
  }
}

static void
calls_elsewhere (void)
{
#pragma omp parallel
  {
    int zero = elsewhere (0);
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      a[i] += i + zero;
  }
}

static void
calls_in_bound (void)
{
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < elsewhere (N); i++)
      a[i] += i;
  }
}

static void
calls_pointer (void)
{
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      a[i] += i;
    pointer (0);
  }
}

static void
calls_helper_of_others (void)
{
#pragma omp parallel
  {
    int zero = helper_of_others (0);
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      a[i] += i + zero;
  }
}

static void
calls_weak (void)
{
#pragma omp parallel
  {
    int zero = weak (0);
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      a[i] += i + zero;
  }
}

/* Each thread has one range: where a thread goes on after its first iteration,
   it has had the one before.  */
static void
number_in_loop (void)
{
  static int last[THREADS];
  int wrong = 0;
  for (int t = 0; t < THREADS; t++)
    last[t] = -1;
#pragma omp parallel for schedule(static) reduction(+:wrong)
  for (int i = 0; i < N; i++)
    {
      int *mine = &last[omp_get_thread_num () % THREADS];
      wrong += *mine >= 0 && *mine != i - 1;
      *mine = i;
      a[i] += i;
    }
  check ("number_in_loop", wrong, 0);
}

static void
number_in_region (void)
{
  static int last[THREADS];
  int wrong = 0;
  for (int t = 0; t < THREADS; t++)
    last[t] = -1;
#pragma omp parallel reduction(+:wrong)
  {
    int *mine = &last[omp_get_thread_num () % THREADS];
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      {
        wrong += *mine >= 0 && *mine != i - 1;
        *mine = i;
        a[i] += i;
      }
  }
  check ("number_in_region", wrong, 0);
}

static int count;
#pragma omp threadprivate(count)

static void
threadprivate_count (void)
{
#pragma omp parallel for schedule(static)
  for (int i = 0; i < N; i++)
    {
      count++;
      a[i] += i;
    }
}

/* A generator's state: set up in a thread's first iteration, then advanced.  */
static void
carried_state (void)
{
#pragma omp parallel
  {
    int begun = 0, state = 0;
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      {
        if (!begun)
          {
            begun = 1;
            state = i;
          }
        a[i] += state++;
      }
  }
}

static void
carried_by_clause (void)
{
  int state = -1;
#pragma omp parallel for schedule(static) firstprivate(state)
  for (int i = 0; i < N; i++)
    {
      if (state < 0)
        state = i;
      a[i] += state;
      state++;
    }
}

/* The largest number of a thread is the last.  */
static void
last_seen (void)
{
  int most = 0, wrong = 0;
#pragma omp parallel reduction(+:wrong) reduction(max:most)
  {
    int last = -1;
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      {
        wrong += last >= i;
        last = i;
        a[i] += i;
      }
    most = last;
  }
  check ("last_seen", wrong, 0);
  check ("last_seen's most", most, N - 1);
}

static void
running_sum (void)
{
  static int first[N];
  int wrong = 0;
  for (int i = 0; i < N; i++)
    first[i] = 0;
#pragma omp parallel reduction(+:wrong)
  {
    int sum = 0;
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      {
        first[i] = sum == 0;
        sum += 1;
        a[i] += i;
      }
    wrong += sum < N / 64;
  }
  for (int i = 1; i < N; i++)
    wrong += first[i] && first[i - 1];
  check ("running_sum", wrong, 0);
}

static void
sums_of_threads (void)
{
  long all = 0;
#pragma omp parallel
  {
    long sum = 0;
    double product = 1;
    unsigned bits = 0;
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      {
        a[i] += i;
        sum += i;
        product *= 1.5;
        bits |= i;
      }
#pragma omp critical
    all += sum + (product < 0) + (bits > N * 2);
  }
  check ("sums_of_threads", all, N * (N - 1L) / 2);
}

static void
scratch (void)
{
  int square, j;
#pragma omp parallel private(square, j)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      {
        square = 0;
        for (j = 0; j < i; j++)
          square += 1;
        a[i] += square;
      }
  }
}

static void
firstprivate_constant (void)
{
  int one = 1;
#pragma omp parallel for schedule(static) firstprivate(one)
  for (int i = 0; i < N; i++)
    a[i] += i + one - 1;
}

/* As Cython writes it.  */
static void
last_private (void)
{
  int i = -1, k;
#pragma omp parallel
  {
#pragma omp for firstprivate(i) lastprivate(i) schedule(static)
    for (k = 0; k < N; k++)
      {
        i = k;
        a[i] += i;
      }
  }
  check ("last_private", i, N - 1);
}

static void
unclaused (void)
{
#pragma omp parallel
  {
    int number = omp_get_thread_num ();
#pragma omp for
    for (int i = 0; i < N; i++)
      a[i] += i + 0 * number;
  }
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

int
main (void)
{
#define ADDS(f) adds (#f, f)
  ADDS (combined);
  ADDS (sole);
  ADDS (region_in_a_loop);
  ADDS (calls_in_loop);
  ADDS (calls_in_single);
  ADDS (calls_helper);
  ADDS (calls_library);
  ADDS (task_calls);
  ADDS (two_with_barrier);
  ADDS (beside_dynamic);
  ADDS (beside_sections);
  ADDS (loop_in_a_loop);
  ADDS (goto_back);
  ADDS (calls_orphaned);
  ADDS (calls_elsewhere);
  ADDS (calls_in_bound);
  ADDS (calls_pointer);
  ADDS (calls_helper_of_others);
  ADDS (calls_weak);
  ADDS (number_in_loop);
  ADDS (number_in_region);
  ADDS (threadprivate_count);
  ADDS (carried_state);
  ADDS (carried_by_clause);
  ADDS (last_seen);
  ADDS (running_sum);
  ADDS (sums_of_threads);
  ADDS (scratch);
  ADDS (firstprivate_constant);
  ADDS (last_private);
  ADDS (unclaused);
  return failures;
}
