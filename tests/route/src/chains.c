/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nowait chains: loops that follow one another with no barrier between, and
   ones that only look so.  What a chained loop reads, the same thread has
   written: a wrong answer, if one of them is routed and dynamic.

   expect cg 1 1 4
   expect static_first 1 1 2
   expect static_last 0 0 1
   expect dynamic_last 0 0 1
   expect after_dynamic 1 1 1
   expect over_nowait_dynamic 0 0 2
   expect barrier_between 2 2 2
   expect barrier_on_one_way 0 0 2
   expect single_nowait 0 0 2
   expect single_wait 2 2 2
   expect sections_nowait 0 0 2
   expect sections_wait 2 2 2
   expect master_between 0 0 2
   expect back_edge 0 0 1
   expect back_edge_with_barrier 1 1 1
   expect goto_back 0 0 2
   expect computed_goto 0 0 2
   expect switched 1 1 3
   expect in_taskgroup 0 0 2
   expect after_nested_parallel 1 1 3
   expect in_task_region 1 1 3
   expect two_chains 0 0 4  */

#include "check.h"

enum { N = 4096 };
static int x[N], y[N], z[N];
static volatile int yes = 1;

/* Write x from i, then y from x: right only if the same thread does both, or
   waits for the other.  */

#define NOWAIT_X                                                              \
  _Pragma ("omp for nowait")                                                  \
  for (int i = 0; i < N; i++)                                                 \
    x[i] = later (i);

#define READ_X                                                                \
  _Pragma ("omp for")                                                         \
  for (int i = 0; i < N; i++)                                                 \
    y[i] = x[i];

static void
cg (void)
{
  int rho = 0;
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < N; i++)
      x[i] = later (i);
#pragma omp for nowait
    for (int i = 0; i < N; i++)
      z[i] = x[i];
#pragma omp for
    for (int i = 0; i < N; i++)
      y[i] = z[i];
#pragma omp for reduction(+:rho)
    for (int i = 0; i < N; i++)
      rho += y[N - 1 - i];
  }
}

/* The mapping of a schedule(static) loop is a promise: what follows it with no
   barrier keeps it.  */
static void
static_first (void)
{
#pragma omp parallel
  {
#pragma omp for nowait schedule(static)
    for (int i = 0; i < N; i++)
      x[i] = later (i);
    READ_X
#pragma omp for
    for (int i = 0; i < N; i++)
      z[i] = y[N - 1 - i];
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      z[i]++;
  }
}

static void
static_last (void)
{
#pragma omp parallel
  {
    NOWAIT_X
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      y[i] = x[i];
  }
}

static void
dynamic_last (void)
{
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < N; i++)
      y[i] = i + 1;
#pragma omp for schedule(dynamic, 7)
    for (int i = 0; i < N; i++)
      x[i] = i + 1;
  }
}

static void
after_dynamic (void)
{
#pragma omp parallel
  {
#pragma omp for nowait schedule(dynamic, 7)
    for (int i = 0; i < N; i++)
      x[i] = i + 1;
#pragma omp for
    for (int i = 0; i < N; i++)
      y[i] = i + 1;
  }
}

static void
over_nowait_dynamic (void)
{
#pragma omp parallel
  {
    NOWAIT_X
#pragma omp for nowait schedule(dynamic, 7)
    for (int i = 0; i < N; i++)
      z[i] = i;
    READ_X
  }
}

static void
barrier_between (void)
{
#pragma omp parallel
  {
    NOWAIT_X
#pragma omp barrier
    READ_X
  }
}

static void
barrier_on_one_way (void)
{
#pragma omp parallel
  {
    NOWAIT_X
    if (!yes)
      {
#pragma omp barrier
      }
    READ_X
  }
}

static void
single_nowait (void)
{
#pragma omp parallel
  {
    NOWAIT_X
#pragma omp single nowait
    z[0] = 1;
    READ_X
  }
}

static void
single_wait (void)
{
#pragma omp parallel
  {
    NOWAIT_X
#pragma omp single
    z[0] = 1;
    READ_X
  }
}

static void
sections_nowait (void)
{
#pragma omp parallel
  {
    NOWAIT_X
#pragma omp sections nowait
    {
#pragma omp section
      z[0] = 1;
#pragma omp section
      z[1] = 1;
    }
    READ_X
  }
}

static void
sections_wait (void)
{
#pragma omp parallel
  {
    NOWAIT_X
#pragma omp sections
    {
#pragma omp section
      z[0] = 1;
#pragma omp section
      z[1] = 1;
    }
    READ_X
  }
}

static void
master_between (void)
{
#pragma omp parallel
  {
    NOWAIT_X
#pragma omp master
    z[0] = 1;
#pragma omp critical
    z[1] = 1;
    READ_X
  }
}

static void
back_edge (void)
{
#pragma omp parallel
  for (int k = 1; k <= 5; k++)
    {
#pragma omp for nowait
      for (int i = 0; i < N; i++)
        y[i] = k == 1 ? later (i) - 4 : y[i] + 1;
    }
}

static void
back_edge_with_barrier (void)
{
#pragma omp parallel
  for (int k = 1; k <= 5; k++)
    {
#pragma omp for nowait
      for (int i = 0; i < N; i++)
        y[i] = k == 1 ? later (i) - 4 : y[i] + 1;
#pragma omp barrier
    }
}

static void
goto_back (void)
{
#pragma omp parallel
  {
    int k = 0;
    goto write;
  read:
    READ_X
    goto done;
  write:
    NOWAIT_X
    if (k++ == 0)
      goto read;
  done:;
  }
}

static void
computed_goto (void)
{
#pragma omp parallel
  {
    static void *const where[] = { &&read, &&write, &&done };
    goto *where[yes];
  read:
    READ_X
    goto *where[yes * 2];
  write:
    NOWAIT_X
    goto *where[yes - 1];
  done:;
  }
}

static void
switched (void)
{
#pragma omp parallel
  for (int k = 0; k < 3; k++)
    switch (k)
      {
      case 0:
        NOWAIT_X
        break;
      case 1:
        READ_X
        break;
      default:
        {
#pragma omp barrier
#pragma omp for
          for (int i = 0; i < N; i++)
            z[i] = y[N - 1 - i];
          break;
        }
      }
}

static void
in_taskgroup (void)
{
#pragma omp parallel
  {
#pragma omp taskgroup
    {
      NOWAIT_X
    }
    READ_X
  }
}

static void
after_nested_parallel (void)
{
#pragma omp parallel
  {
    NOWAIT_X
    int mine[64];
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 64; i++)
      mine[i] = i;
    if (mine[63] == 63)
      {
        READ_X
      }
  }
}

static void
in_task_region (void)
{
#pragma omp parallel
  {
    NOWAIT_X
#pragma omp task
    {
#pragma omp parallel for num_threads(2)
      for (int i = 0; i < N; i++)
        z[i] = i;
    }
    READ_X
  }
}

/* Two chains, one after the other.  */
static void
two_chains (void)
{
#pragma omp parallel
  {
    NOWAIT_X
    READ_X
#pragma omp for nowait
    for (int i = 0; i < N; i++)
      x[i] = y[N - 1 - i];
#pragma omp single nowait
    yes = 1;
#pragma omp for
    for (int i = 0; i < N; i++)
      z[i] = x[i];
  }
}

static void
makes_y (const char *name, void (*f) (void))
{
  for (int i = 0; i < N; i++)
    x[i] = y[i] = 0;
  f ();
  int wrong = 0;
  for (int i = 0; i < N; i++)
    wrong += y[i] != i + 1;
  check (name, wrong, 0);
}

int
main (void)
{
  for (int round = 0; round < 3; round++)
    {
      makes_y ("cg", cg);
      makes_y ("static_first", static_first);
      makes_y ("static_last", static_last);
      makes_y ("dynamic_last", dynamic_last);
      makes_y ("after_dynamic", after_dynamic);
      makes_y ("over_nowait_dynamic", over_nowait_dynamic);
      makes_y ("barrier_between", barrier_between);
      makes_y ("barrier_on_one_way", barrier_on_one_way);
      makes_y ("single_nowait", single_nowait);
      makes_y ("single_wait", single_wait);
      makes_y ("sections_nowait", sections_nowait);
      makes_y ("sections_wait", sections_wait);
      makes_y ("master_between", master_between);
      makes_y ("back_edge", back_edge);
      makes_y ("back_edge_with_barrier", back_edge_with_barrier);
      makes_y ("goto_back", goto_back);
      makes_y ("computed_goto", computed_goto);
      makes_y ("switched", switched);
      makes_y ("in_taskgroup", in_taskgroup);
      makes_y ("after_nested_parallel", after_nested_parallel);
      makes_y ("in_task_region", in_task_region);
      makes_y ("two_chains", two_chains);
    }
  return failures;
}
