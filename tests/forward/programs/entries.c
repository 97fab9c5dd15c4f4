/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls what OpenMP 5.2 and later added to the library and this compiler
   knows, and prints what it answers.  */

#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 4 };

static void
tasks (void)
{
  int value = 0, inside = 0, before = omp_in_explicit_task ();

#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task shared(value) depend(out : value)
    value = 1;
#pragma omp taskwait depend(inout : value) nowait
#pragma omp task shared(value, inside) depend(inout : value)
    {
      value += 10;
      inside = omp_in_explicit_task ();
    }
  }
  printf ("tasks: %d, in an explicit task: %d then %d\n", value, before, inside);
}

static void
copies (void)
{
  int device = omp_get_initial_device ();
  int from[COUNT] = { 1, 2, 3, 4 }, to[COUNT] = { 0 };
  int failed = omp_target_memcpy_async (to, from, sizeof to, 0, 0, device, device, 0, NULL);

#pragma omp taskwait
  printf ("copies: %d, %d, accessible: %d, mapped: %d\n", failed, to[3],
	  omp_target_is_accessible (from, sizeof from, device),
	  omp_get_mapped_ptr (from, device) == from);
}

static void
loops (void)
{
  long sum = 0;

#pragma omp parallel for schedule(runtime) reduction(+ : sum)
  for (int i = 0; i < 1000; i++)
    sum += i;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 1000; i++)
    sum += i;
  printf ("loops: %ld\n", sum);
}

#if __GNUC__ >= 15
static void
interoperability (void)
{
  omp_interop_t object = omp_interop_none;
  const char *uid = omp_get_uid_from_device (omp_get_initial_device ());

#pragma omp interop init(targetsync : object) device(omp_initial_device)
#pragma omp interop destroy(object)
  printf ("interop: %d, the host from its uid: %d\n", object == omp_interop_none,
	  omp_get_device_from_uid (uid) == omp_get_initial_device ());
}
#endif

#if __GNUC__ >= 16
static void
memory (void)
{
  char bytes[COUNT] = "abc";
  void *at = omp_target_memset (bytes, 'x', 3, omp_get_initial_device ());

  printf ("memset: %s, %d\n", bytes, at == bytes);
}
#endif

int
main (void)
{
  tasks ();
  copies ();
  loops ();
#if __GNUC__ >= 15
  interoperability ();
#endif
#if __GNUC__ >= 16
  memory ();
#endif
  return 0;
}
