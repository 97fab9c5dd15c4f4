/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints for a loop without a schedule clause, and for one with
   schedule(runtime), whether the iterations went to the threads as static does
   it, and the longest run of iterations that each thread had.

   In its first iteration each thread waits for all others to have begun one:
   where iterations are taken one by one, every thread takes one of the first.
   In its second one it waits again: where a thread then gets an allotment, all
   have theirs before anyone goes on.  */

#include <omp.h>
#include <sched.h>
#include <stdio.h>

enum { N = 3000 };
static int owner[N];
static int begun;
static int ran[64];

static void
iteration (int i)
{
  int me = omp_get_thread_num (), all = omp_get_num_threads ();
  int n = 0;

  owner[i] = me;
  if (++ran[me] > 2)
    return;
#pragma omp atomic
  begun++;
  while (n < all * ran[me])
    {
      sched_yield ();
#pragma omp atomic read
      n = begun;
    }
}

static void
tell (const char *what)
{
  int threads = omp_get_max_threads (), is_static = 1, run = 0;
  int longest[64] = { 0 };
  for (int i = 0; i < N; i++)
    {
      is_static &= owner[i] == i / (N / threads);
      run = i && owner[i] == owner[i - 1] ? run + 1 : 1;
      if (run > longest[owner[i]])
        longest[owner[i]] = run;
    }
  printf ("%s %s", what, is_static ? "static" : "other");
  for (int t = 0; t < threads; t++)
    {
      printf (" %d", longest[t]);
      ran[t] = 0;
    }
  putchar ('\n');
  begun = 0;
}

/* Also called by programs that link this file as a library.  */
void
mapping (void)
{
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    iteration (i);
  tell ("routed");
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < N; i++)
    iteration (i);
  tell ("runtime");
}

#ifndef LIBRARY
int
main (void)
{
  mapping ();
  return 0;
}
#endif
