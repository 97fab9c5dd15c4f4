/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Preloaded, lets a program believe that it runs on another machine: on as many
   CPUs as AMP_TEST_CPUS says, with the affinity mask AMP_TEST_MASK (0-3,8).
   The threads that ask where they are are on its CPUs in turn.  */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

long
sysconf (int name)
{
  long (*real) (int) = (long (*) (int)) dlsym (RTLD_NEXT, "sysconf");

  if (name == _SC_NPROCESSORS_CONF || name == _SC_NPROCESSORS_ONLN)
    return atol (getenv ("AMP_TEST_CPUS"));
  return real (name);
}

static void
fake_mask (size_t size, cpu_set_t *mask)
{
  const char *at = getenv ("AMP_TEST_MASK");
  char *end;

  memset (mask, 0, size);
  for (;;)
    {
      unsigned long first = strtoul (at, &end, 10), last = first;

      if (*end == '-')
	last = strtoul (end + 1, &end, 10);
      for (unsigned long cpu = first; cpu <= last; cpu++)
	CPU_SET_S (cpu, size, mask);
      if (*end == '\0')
	return;
      at = end + 1;
    }
}

int
sched_getaffinity (pid_t pid, size_t size, cpu_set_t *mask)
{
  (void) pid;
  fake_mask (size, mask);
  return 0;
}

int
pthread_getaffinity_np (pthread_t thread, size_t size, cpu_set_t *mask)
{
  (void) thread;
  fake_mask (size, mask);
  return 0;
}

/* So that sched_getcpu is asked.  */
const unsigned __rseq_size = 0;

int
sched_getcpu (void)
{
  static int threads;
  static __thread int cpu = -1;
  int turn, usable;
  cpu_set_t mask;

  if (cpu >= 0)
    return cpu;
  fake_mask (sizeof mask, &mask);
  usable = CPU_COUNT (&mask);
  turn = __atomic_fetch_add (&threads, 1, __ATOMIC_RELAXED) % usable;
  do
    turn -= CPU_ISSET (++cpu, &mask) != 0;
  while (turn >= 0);
  return cpu;
}

/* Binding works, as far as the program can tell.  */

int
sched_setaffinity (pid_t pid, size_t size, const cpu_set_t *mask)
{
  (void) pid;
  (void) size;
  (void) mask;
  return 0;
}

int
pthread_setaffinity_np (pthread_t thread, size_t size, const cpu_set_t *mask)
{
  (void) thread;
  (void) size;
  (void) mask;
  return 0;
}

int
pthread_attr_setaffinity_np (pthread_attr_t *attr, size_t size,
			     const cpu_set_t *mask)
{
  (void) attr;
  (void) size;
  (void) mask;
  return 0;
}
