/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints which thread ran each iteration of a loop without a schedule clause:
   once for the program's first thread, and unless ALONE is defined once for one
   that pthread_create made.  Valid in C++ too.  */

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { N = 240, THREADS = 1024 };

/* Wait until all threads of the team have run an iteration, of which HERE has the
   caller's mark by now: none comes so late that nothing is left for it.  */

static void
meet (const volatile int *here)
{
  for (int i = 0; i < omp_get_num_threads (); i++)
    while (!here[i])
      usleep (100);
}

static void *
loop (void *unused)
{
  int owner[N];
  volatile int here[THREADS] = { 0 };
  /* All threads are there before the loop begins.  */
#pragma omp parallel
  {
#pragma omp barrier
  }
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    {
      owner[i] = omp_get_thread_num ();
      here[owner[i]] = 1;
      meet (here);
      usleep (100);
    }
  for (int i = 0; i < N; i++)
    printf ("%d%s", owner[i], i < N - 1 ? " " : "\n");
  return unused;
}

#ifdef __cplusplus
extern "C"
#endif
void
owners (void)
{
  loop (NULL);
#ifndef ALONE
  pthread_t other;
  if (pthread_create (&other, NULL, loop, NULL) == 0)
    pthread_join (other, NULL);
#endif
}

#ifndef LIBRARY
int
main (void)
{
  owners ();
  return 0;
}
#endif
