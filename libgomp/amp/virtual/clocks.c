/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The threads' clocks: by how much they advance, and the totals.  */

#include <stdlib.h>
#include <string.h>
#include "libgomp.h"
#include "bandwidth.h"
#include "clocks.h"
#include "counted.h"

/* Every account is of at least this many nanoseconds, so that time goes on for
   a thread that only reads the clock or tries a lock.  */
#define LEAST 10

struct gomp_virtual_totals gomp_virtual_totals;

/* The latest clock of a thread at a meeting.  */
static double present;

/* When each CPU is free, and how long it has been busy.  */
static double cpu_free[GOMP_VIRTUAL_MAX_CPUS], cpu_busy[GOMP_VIRTUAL_MAX_CPUS];

/* Up to when each CPU's idle time has been counted.  */
static double counted[GOMP_VIRTUAL_MAX_CPUS];

/* The totals when the present part began.  */
static double busy_then[GOMP_AMP_MAX_CLASSES], spun_then[GOMP_AMP_MAX_CLASSES];

/* The time between two readings of the CPU clock, in nanoseconds.  */
static unsigned long long overhead;

static unsigned
class_of (const struct gomp_virtual_thread *thread)
{
  return gomp_virtual_machine.class_of_cpu[thread->cpu];
}

double
gomp_virtual_slowness (const struct gomp_virtual_thread *thread)
{
  return thread->factors->slowness[class_of (thread)];
}

double
gomp_virtual_cpu_free (const struct gomp_virtual_thread *thread)
{
  return cpu_free[thread->cpu];
}

void
gomp_virtual_advance (struct gomp_virtual_thread *thread, double clock)
{
  struct gomp_virtual_totals *totals = &gomp_virtual_totals;

  if (clock <= thread->clock)
    return;
  if (thread->first && thread->parallel)
    totals->parallel.makespan += clock - thread->clock;
  thread->clock = clock;
  if (clock > totals->makespan)
    totals->makespan = clock;
}

/* CPU has not been busy since it was free, up to CLOCK: threads spun there at
   first.  Before its first thread ran there none waited.  */

static void
count_spinning (unsigned cpu, double clock)
{
  double from = cpu_free[cpu], until = from + gomp_virtual_spin_window ();

  if (counted[cpu] > from)
    from = counted[cpu];
  if (clock < until)
    until = clock;
  if (until > from && cpu_busy[cpu] > 0)
    gomp_virtual_totals.spun[gomp_virtual_machine.class_of_cpu[cpu]]
      += until - from;
  if (clock > counted[cpu])
    counted[cpu] = clock;
}

void
gomp_virtual_end_part (double clock, bool parallel)
{
  struct gomp_virtual_totals *totals = &gomp_virtual_totals;

  for (unsigned cpu = 0; cpu < gomp_virtual_machine.cpus; cpu++)
    count_spinning (cpu, clock);
  for (unsigned class = 0; class < gomp_virtual_machine.classes; class++)
    {
      if (parallel)
	{
	  totals->parallel_busy[class]
	    += totals->busy[class] - busy_then[class];
	  totals->parallel_spun[class]
	    += totals->spun[class] - spun_then[class];
	}
      busy_then[class] = totals->busy[class];
      spun_then[class] = totals->spun[class];
    }
}

void
gomp_virtual_count_used (unsigned *used)
{
  for (unsigned class = 0; class < gomp_virtual_machine.classes; class++)
    used[class] = 0;
  for (unsigned cpu = 0; cpu < gomp_virtual_machine.cpus; cpu++)
    if (cpu_busy[cpu] > 0)
      used[gomp_virtual_machine.class_of_cpu[cpu]]++;
}

void
gomp_virtual_occupy (struct gomp_virtual_thread *thread, double ns)
{
  count_spinning (thread->cpu, thread->clock);
  gomp_virtual_advance (thread, thread->clock + ns);
  gomp_virtual_totals.busy[class_of (thread)] += ns;
  cpu_busy[thread->cpu] += ns;
  thread->busy_before += ns;
  thread->own += ns;
  thread->used += ns;
  if (thread->clock > cpu_free[thread->cpu])
    cpu_free[thread->cpu] = thread->clock;
}

void
gomp_virtual_go_on (struct gomp_virtual_thread *thread)
{
  thread->busy_before = cpu_busy[thread->cpu];
}

/* The latest clock of all threads.  */

static double
latest_clock (void)
{
  double latest = present;

  for (const struct gomp_virtual_thread *thread = gomp_virtual_all ();
       thread != NULL; thread = thread->next_of_all)
    if (thread->clock > latest)
      latest = thread->clock;
  return latest;
}

void
gomp_virtual_stretch (struct gomp_virtual_thread *thread, double ns)
{
  struct gomp_virtual_totals *totals = &gomp_virtual_totals;

  if (cpu_free[thread->cpu] == thread->clock)
    cpu_free[thread->cpu] += ns;
  if (thread->first && thread->parallel)
    totals->parallel.makespan += ns;
  totals->busy[class_of (thread)] += ns;
  cpu_busy[thread->cpu] += ns;
  thread->busy_before += ns;
  thread->clock += ns;
  thread->asked += ns;
}

void
gomp_virtual_retract (struct gomp_virtual_thread *thread, double clock)
{
  if (thread->first && thread->parallel)
    gomp_virtual_totals.parallel.makespan += clock - thread->clock;
  thread->clock = clock;
}

void
gomp_virtual_find_makespan (void)
{
  gomp_virtual_totals.makespan = latest_clock ();
}

void
gomp_virtual_move (struct gomp_virtual_thread *thread, double now,
		   unsigned cpu)
{
  struct gomp_virtual_totals *totals = &gomp_virtual_totals;
  double left = thread->clock - now, slowness, own;
  bool was_last = thread->clock == totals->makespan;

  if (left <= 0)
    {
      thread->cpu = cpu;
      gomp_virtual_go_on (thread);
      return;
    }
  slowness = gomp_virtual_slowness (thread);
  /* The rest of LEFT others had the CPU.  */
  own = thread->own < left ? thread->own : left;
  totals->busy[class_of (thread)] -= own;
  thread->used -= own;
  cpu_busy[thread->cpu] -= own;
  if (cpu_free[thread->cpu] > now)
    cpu_free[thread->cpu] = now;
  thread->clock = now;
  if (was_last)
    totals->makespan = latest_clock ();
  thread->cpu = cpu;
  thread->left *= gomp_virtual_slowness (thread) / slowness;
  gomp_virtual_go_on (thread);
  thread->own = 0;
  gomp_virtual_occupy (thread, own * gomp_virtual_slowness (thread) / slowness);
  gomp_virtual_go_on (thread);
}

double
gomp_virtual_clock_now (const struct gomp_virtual_thread *thread)
{
  unsigned long long now = gomp_virtual_work (thread);
  unsigned long long since = __atomic_load_n (&thread->since, MEMMODEL_RELAXED);
  return thread->clock
	 + (now > since ? now - since : 0) * gomp_virtual_slowness (thread)
	   / gomp_virtual_rate (thread);
}

/* By how much ME, the calling thread, is delayed because other threads ran on
   its CPU since it last went on.  That is not more than they used the CPU since
   then, and not more than they used it after ME's clock.  */

static double
shared_time (const struct gomp_virtual_thread *me)
{
  double since = cpu_busy[me->cpu] - me->busy_before;
  double after = cpu_free[me->cpu] - me->clock;
  double least = since < after ? since : after;

  return least > 0 ? least : 0;
}

/* For how long ME, the calling thread, has run if its CPU time has grown by
   USED.  */

static unsigned long long
check_cpu_time (struct gomp_virtual_thread *me, unsigned long long used)
{
  unsigned long long real = gomp_virtual_read_clock (CLOCK_MONOTONIC);

  /* A thread cannot use more CPU time than real time.  But the CPU clock of a
     hypervisor's guest sometimes jumps, when stolen time is accounted for.  */
  if (used > real - me->real_since)
    used = real - me->real_since;
  me->real_since = real;
  return used > overhead ? used - overhead : 0;
}

void
gomp_virtual_account (struct gomp_virtual_thread *me, unsigned long long now)
{
  const struct gomp_virtual_factors *factors = me->factors;
  struct gomp_virtual_totals *totals = &gomp_virtual_totals;
  unsigned long long used = now - me->since;

  if (!gomp_virtual_counted)
    used = check_cpu_time (me, used);
  if (used < LEAST)
    used = LEAST;
  __atomic_store_n (&me->since, now, MEMMODEL_RELAXED);
  me->accounts++;
  me->ran_alone = !me->parallel;
  gomp_virtual_advance (me, me->clock + shared_time (me));
  if (gomp_virtual_capped)
    gomp_virtual_run_beside (me, used * gomp_virtual_slowness (me));
  else
    gomp_virtual_occupy (me, used * gomp_virtual_slowness (me));
  gomp_virtual_go_on (me);
  totals->all.work += used;
  totals->all.bound += used / factors->capacity;
  if (me->parallel)
    {
      totals->parallel.work += used;
      totals->parallel.bound += used / factors->capacity;
    }
}

void
gomp_virtual_resume (struct gomp_virtual_thread *me)
{
  __atomic_store_n (&me->in_lab, false, MEMMODEL_RELAXED);
  if (!gomp_virtual_counted)
    me->real_since = gomp_virtual_read_clock (CLOCK_MONOTONIC);
  __atomic_store_n (&me->since, gomp_virtual_work (me), MEMMODEL_RELAXED);
}

void
gomp_virtual_show_up (const struct gomp_virtual_thread *me)
{
  /* A segment that is not settled may still end earlier.  */
  if (me->left == 0 && me->clock > present)
    present = me->clock;
}

void
gomp_virtual_catch_up (struct gomp_virtual_thread *me)
{
  gomp_virtual_advance (me, present);
}

void
gomp_virtual_clear_clocks (void)
{
  memset (&gomp_virtual_totals, 0, sizeof gomp_virtual_totals);
  memset (cpu_free, 0, sizeof cpu_free);
  memset (cpu_busy, 0, sizeof cpu_busy);
  memset (counted, 0, sizeof counted);
  memset (busy_then, 0, sizeof busy_then);
  memset (spun_then, 0, sizeof spun_then);
  present = 0;
}

static int
ascending (const void *a, const void *b)
{
  unsigned long long first = *(const unsigned long long *) a;
  unsigned long long second = *(const unsigned long long *) b;
  return (first > second) - (first < second);
}

void
gomp_virtual_init_clocks (void)
{
  enum { TRIALS = 501 };
  unsigned long long apart[TRIALS];

  for (int i = 0; i < TRIALS; i++)
    {
      unsigned long long start
	= gomp_virtual_read_clock (CLOCK_THREAD_CPUTIME_ID);
      apart[i] = gomp_virtual_read_clock (CLOCK_THREAD_CPUTIME_ID) - start;
    }
  qsort (apart, TRIALS, sizeof apart[0], ascending);
  overhead = apart[TRIALS / 2];
}
