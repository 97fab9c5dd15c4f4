/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Counts what threads do, and lets them meet where a counted program accesses
   memory by which threads communicate.  */

#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include "libgomp.h"
#include "virtual.h"
#include "counted.h"

/* A look for what another thread did that repeats one at the same place after
   at most so many units of work, for the LOOKS-th time in a row, is that of a
   thread that waits.  */
#define LOOK_UNITS 60
#define LOOKS 8

/* What the code of this library counts; the compiler's plugin has it so.  That
   of the program is another variable of the same name (gcc-patch/count).  */
__attribute__ ((visibility ("hidden"), tls_model ("initial-exec")))
__thread unsigned long long amp_work;

bool gomp_virtual_counted;

unsigned long long
gomp_virtual_read_clock (clockid_t clock)
{
  struct timespec now;
  if (clock_gettime (clock, &now) != 0)
    return 0;
  return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

unsigned long long
gomp_virtual_cpu_time (const struct gomp_virtual_thread *thread)
{
  return gomp_virtual_read_clock (thread->cpu_clock);
}

/* The program's amp_work_meet has been called at CALLER: the thread is about to
   access memory that others may access.  MAY_WAIT: it looks for what another
   one did.  */

static void
meet_at_access (int may_wait, const void *caller)
{
  struct gomp_virtual_thread *me;
  unsigned long long now;

  if (!gomp_virtual_joined () || !gomp_virtual_exact ())
    return;
  me = gomp_virtual_self ();
  now = gomp_virtual_work (me);
  if (may_wait && caller == me->looked_at
      && (now - me->looked) * 1000 <= LOOK_UNITS * GOMP_VIRTUAL_UNIT_PS)
    me->looks_here++;
  else
    me->looks_here = 0;
  me->looked_at = may_wait ? caller : NULL;
  if (me->looks_here >= LOOKS)
    gomp_virtual_poll ();
  else
    gomp_virtual_meet ();
  me->looked = gomp_virtual_work (me);
}

void
gomp_virtual_init_work (void)
{
  void (**hook) (int, const void *) = dlsym (RTLD_DEFAULT, "amp_work_hook");

  if (hook == NULL
      || gomp_amp_options.virtual_work == GOMP_AMP_VIRTUAL_TIMED)
    return;
  gomp_virtual_counted = true;
  *hook = meet_at_access;
}

void
gomp_virtual_check_work (void)
{
  if (gomp_amp_options.virtual_work == GOMP_AMP_VIRTUAL_COUNTED
      && !gomp_virtual_counted)
    gomp_fatal ("--work=counted: %s does not count its work; compile and link"
		" it by amp-gcc --amp-count, amp-g++ or amp-gfortran, or use"
		" --work=timed", program_invocation_name);
}

void
gomp_virtual_find_work (struct gomp_virtual_thread *me)
{
  me->work_of_library = &amp_work;
  me->work_of_program = gomp_virtual_counted
			? dlsym (RTLD_DEFAULT, "amp_work") : NULL;
}

void
gomp_virtual_clear_work (struct gomp_virtual_thread *me)
{
  if (!gomp_virtual_counted)
    return;
  __atomic_store_n (me->work_of_library, 0, MEMMODEL_RELAXED);
  __atomic_store_n (me->work_of_program, 0, MEMMODEL_RELAXED);
}

static unsigned long long
units (const struct gomp_virtual_thread *thread)
{
  return (__atomic_load_n (thread->work_of_library, MEMMODEL_RELAXED)
	  + __atomic_load_n (thread->work_of_program, MEMMODEL_RELAXED));
}

unsigned long long
gomp_virtual_work (const struct gomp_virtual_thread *thread)
{
  if (!gomp_virtual_counted)
    return gomp_virtual_cpu_time (thread);
  return units (thread) * GOMP_VIRTUAL_UNIT_PS / 1000;
}

bool
gomp_virtual_advances (struct gomp_virtual_thread *thread)
{
  unsigned long long work;

  if (!gomp_virtual_exact ())
    return false;
  work = units (thread);
  if (work == thread->seen_work)
    return false;
  thread->seen_work = work;
  thread->seen_cpu_time = gomp_virtual_cpu_time (thread);
  return true;
}

unsigned long long
gomp_virtual_uncounted (const struct gomp_virtual_thread *thread)
{
  return gomp_virtual_cpu_time (thread) - thread->seen_cpu_time;
}
