/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Stops at limits and asks the conductor.  */

#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "libgomp.h"
#include "bandwidth.h"
#include "baton.h"
#include "clocks.h"
#include "conductor.h"
#include "ready.h"

_Static_assert (GOMP_VIRTUAL_ORDER_CPUS >= GOMP_VIRTUAL_MAX_CPUS
		&& GOMP_VIRTUAL_ORDER_CPUS <= CPU_SETSIZE, "CPUs of an order");

double gomp_virtual_limit = __builtin_inf ();

/* The socket to the conductor; -1: there is none.  */
static int conductor = -1;

/* With the lock: whether ALLOWED counts; when the conductor looked.  */
static bool confined;
static cpu_set_t allowed;
static double looked;

void
gomp_virtual_init_conductor (void)
{
  int fd = gomp_amp_options.virtual_conductor - 1;

  /* Programs that this one starts have none.  */
  if (fd < 0 || gomp_virtual_capped || fcntl (fd, F_SETFD, FD_CLOEXEC) != 0)
    return;
  unsetenv ("GOMP_AMP_VIRTUAL_CONDUCTOR");
  conductor = fd;
  gomp_virtual_limit = 0;
}

void
gomp_virtual_clear_conductor (void)
{
  if (conductor >= 0)
    close (conductor);
  conductor = -1;
  gomp_virtual_limit = __builtin_inf ();
}

/* Whether THREAD was busy between the conductor's look and CLOCK.  */

static bool
was_busy (const struct gomp_virtual_thread *thread, double clock)
{
  return (thread->used - thread->used_then
	  > (clock - looked) / GOMP_VIRTUAL_IDLE);
}

/* The threads that are busy, at CLOCK.  Those that are ready have come to the
   limit: they run, or wait for their CPU.  But those that wait while the first
   thread runs alone have done their part of the last region, and would go to
   sleep if it did not keep the CPU.  */

static int
count_busy (double clock)
{
  const struct gomp_virtual_thread *alone = NULL;
  int busy = 0;

  for (const struct gomp_virtual_thread *thread = gomp_virtual_all ();
       thread != NULL; thread = thread->next_of_all)
    if (thread->first && thread->ran_alone
	&& thread->state == GOMP_VIRTUAL_READY)
      alone = thread;
  for (const struct gomp_virtual_thread *thread = gomp_virtual_all ();
       thread != NULL; thread = thread->next_of_all)
    busy += ((thread->state == GOMP_VIRTUAL_READY
	      && (alone == NULL || thread == alone
		  || thread->cpu != alone->cpu))
	     || was_busy (thread, clock));
  return busy;
}

/* The conductor looks, at CLOCK.  */

static void
note_look (double clock)
{
  looked = clock;
  for (struct gomp_virtual_thread *thread = gomp_virtual_all ();
       thread != NULL; thread = thread->next_of_all)
    thread->used_then = thread->used;
}

/* Send the state at CLOCK.  Returns false if there is no conductor any
   more.  */

static bool
tell (double clock, bool ended)
{
  const struct gomp_virtual_totals *totals = &gomp_virtual_totals;
  struct gomp_virtual_question question = {
    .clock = clock,
    .work = totals->all.work,
    .parallel_work = totals->parallel.work,
    .parallel = totals->parallel.makespan,
    .ended = ended,
    .busy = count_busy (clock)
  };

  return (send (conductor, &question, sizeof question, MSG_NOSIGNAL)
	  == sizeof question);
}

static int
by_clock (const void *a, const void *b)
{
  const struct gomp_virtual_thread *x = *(void *const *) a;
  const struct gomp_virtual_thread *y = *(void *const *) b;

  if (x->clock != y->clock)
    return x->clock < y->clock ? -1 : 1;
  return (x->order > y->order) - (x->order < y->order);
}

/* Move THREAD, which is ready and has run beyond NOW, to CPU.  What it did
   after NOW it did there, after those that were moved before.  */

static void
move_ready (struct gomp_virtual_thread *thread, double now, unsigned cpu)
{
  unsigned before = thread->cpu;
  double free;

  if (cpu == before)
    return;
  gomp_virtual_remove_ready (thread);
  thread->cpu = cpu;
  free = gomp_virtual_cpu_free (thread);
  thread->cpu = before;
  gomp_virtual_move (thread, now, cpu);
  if (free > now)
    {
      gomp_virtual_advance (thread, thread->clock + free - now);
      gomp_virtual_occupy (thread, 0);
    }
  gomp_virtual_add_ready (thread);
}

/* Place the COUNT threads at READY, at NOW.  If two would be on one CPU by
   their numbers while another one is free, each has a CPU of its own, the
   fastest first, as ampd has it.  */

static void
place (struct gomp_virtual_thread **ready, unsigned count, double now)
{
  bool own = false;
  unsigned next = 0;
  cpu_set_t taken;

  CPU_ZERO (&taken);
  for (unsigned i = 0; i < count; i++)
    {
      unsigned cpu = gomp_virtual_choose_cpu (ready[i]);

      own |= CPU_ISSET (cpu, &taken) != 0;
      CPU_SET (cpu, &taken);
    }
  own &= count <= (unsigned) CPU_COUNT (&allowed);
  for (unsigned i = 0; i < count; i++)
    if (own && !ready[i]->bound)
      {
	while (!CPU_ISSET (next, &allowed))
	  next++;
	move_ready (ready[i], now, next++);
      }
    else
      move_ready (ready[i], now, gomp_virtual_choose_cpu (ready[i]));
}

/* From NOW on the process may run on the CPUs of ORDER only.  */

static void
follow (const struct gomp_virtual_order *order, double now)
{
  struct gomp_virtual_thread *ready[gomp_virtual_totals.threads + 1];
  unsigned count = 0;
  cpu_set_t cpus;

  CPU_ZERO (&cpus);
  for (unsigned cpu = 0; cpu < gomp_virtual_machine.cpus; cpu++)
    if (order->cpus[cpu / 8] >> cpu % 8 & 1)
      CPU_SET (cpu, &cpus);
  if (CPU_COUNT (&cpus) == 0 || (confined && CPU_EQUAL (&cpus, &allowed)))
    return;
  allowed = cpus;
  confined = true;
  for (struct gomp_virtual_thread *thread = gomp_virtual_all ();
       thread != NULL; thread = thread->next_of_all)
    {
      thread->unsettled = true;
      if (thread->state == GOMP_VIRTUAL_ASLEEP)
	gomp_virtual_settle (thread);
      else if (thread->state == GOMP_VIRTUAL_READY
	       && count < gomp_virtual_totals.threads)
	ready[count++] = thread;
    }
  qsort (ready, count, sizeof *ready, by_clock);
  place (ready, count, now);
}

void
gomp_virtual_ask_conductor (void)
{
  struct gomp_virtual_order order;
  double now = gomp_virtual_limit;
  ssize_t got = -1;

  if (tell (now, false))
    do
      got = recv (conductor, &order, sizeof order, 0);
    while (got < 0 && errno == EINTR);
  if (got != sizeof order || !(order.limit > now))
    {
      gomp_virtual_clear_conductor ();
      return;
    }
  if (order.look)
    note_look (now);
  gomp_virtual_limit = order.limit;
  follow (&order, now);
}

void
gomp_virtual_tell_end (void)
{
  if (conductor >= 0)
    tell (gomp_virtual_totals.makespan, true);
}

void
gomp_virtual_confine (size_t size, cpu_set_t *set)
{
  bool any = false;

  if (!confined)
    return;
  for (unsigned cpu = 0; cpu < size * 8; cpu++)
    if (CPU_ISSET_S (cpu, size, set) && cpu < CPU_SETSIZE
	&& CPU_ISSET (cpu, &allowed))
      any = true;
  for (unsigned cpu = 0; cpu < size * 8 && cpu < CPU_SETSIZE; cpu++)
    if (!CPU_ISSET (cpu, &allowed))
      CPU_CLR_S (cpu, size, set);
    else if (!any)
      CPU_SET_S (cpu, size, set);
}
