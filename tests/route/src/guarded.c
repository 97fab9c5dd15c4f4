/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints for loops of each kind that libgomp starts differently whether the
   iterations went to the threads as static does it: of the first thread of the
   program, and of one that pthread_create made ("thread").

   In its first iteration each thread waits for all others to have begun one:
   where iterations are taken one by one, every thread takes one of the
   first.  */

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

enum { N = 3000 };
static int owner[N], begun, ran[64];

static void
iteration (int i)
{
  int me = omp_get_thread_num (), all = omp_get_num_threads ();
  int n = 0;

  owner[i] = me;
  if (ran[me]++)
    return;
#pragma omp atomic
  begun++;
  while (n < all)
    {
      sched_yield ();
#pragma omp atomic read
      n = begun;
    }
}

static void
tell (const char *who, const char *what)
{
  int threads = omp_get_max_threads (), is_static = 1;
  for (int i = 0; i < N; i++)
    is_static &= owner[i] == i / (N / threads);
  for (int t = 0; t < threads; t++)
    ran[t] = 0;
  begun = 0;
  printf ("%s%s %s\n", who, what, is_static ? "static" : "other");
}

static void *
loops (void *thread)
{
  const char *who = thread ? "thread-" : "";
  long sum = 0;

#pragma omp parallel for
  for (int i = 0; i < N; i++)
    iteration (i);
  tell (who, "combined");

#pragma omp parallel
#pragma omp for
  for (int i = 0; i < N; i++)
    iteration (i);
  tell (who, "inner");

#pragma omp parallel
#pragma omp for
  for (unsigned long long i = 0; i < N; i++)
    iteration (i);
  tell (who, "unsigned");

#pragma omp parallel
#pragma omp for reduction(task, + : sum)
  for (int i = 0; i < N; i++)
    {
      iteration (i);
      sum += i;
    }
  tell (who, "tasks");

#pragma omp parallel
#pragma omp for reduction(task, + : sum)
  for (unsigned long long i = 0; i < N; i++)
    {
      iteration (i);
      sum += i;
    }
  tell (who, "unsigned-tasks");
  if (sum != (long) N * (N - 1))
    printf ("wrong sum %ld\n", sum);

  /* The author's own choice.  */
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < N; i++)
    iteration (i);
  tell (who, "runtime");
  return NULL;
}

/* Also called by programs that load this file as a library.  */
void
guarded (void)
{
  pthread_t other;
  loops (NULL);
  if (pthread_create (&other, NULL, loops, &other) == 0)
    pthread_join (other, NULL);
}

/* The other thread's team may be ending still. exit takes away the tables
   that a static program's pthread_exit unwinds by, at which such a thread
   aborts, also in a program of plain GCC: so not by exit.  */
#ifndef LIBRARY
int
main (void)
{
  guarded ();
  fflush (stdout);
  _exit (0);
}
#endif
