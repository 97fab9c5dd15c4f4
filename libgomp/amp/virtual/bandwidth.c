/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Slows threads down whose demands for the memory's bandwidth exceed it.  */

#include <stdio.h>
#include <string.h>
#include "libgomp.h"
#include "bandwidth.h"
#include "bandwidth-share.h"
#include "clocks.h"
#include "ready.h"

bool gomp_virtual_capped;

static struct gomp_virtual_caps caps;

/* The virtual time before which all segments are settled.  With the lock.  */
static double settled;

/* What was moved, in bytes, by class; GB/s times ns are bytes.  With the
   lock.  */
static double moved[GOMP_AMP_MAX_CLASSES];

void
gomp_virtual_init_bandwidth (bool demanding)
{
  const char *text = gomp_amp_options.virtual_bandwidth;
  const char *error;

  if (text == NULL)
    return;
  error = gomp_virtual_read_caps (text, gomp_virtual_machine.classes, &caps);
  if (error != NULL)
    gomp_amp_option_error ("GOMP_AMP_VIRTUAL_BANDWIDTH", text, error,
			   "using no cap");
  gomp_virtual_capped = error == NULL && demanding;
}

static unsigned
class_of (const struct gomp_virtual_thread *thread)
{
  return gomp_virtual_machine.class_of_cpu[thread->cpu];
}

/* The demand of THREAD's code on its core, in GB/s.  */

static double
demand_of (const struct gomp_virtual_thread *thread)
{
  return thread->factors->demand * gomp_virtual_machine.speed[0]
	 / gomp_virtual_slowness (thread);
}

/* Whether THREAD uses its core from the moment up to which all is settled.  */

static bool
runs (const struct gomp_virtual_thread *thread)
{
  return thread->left > 0 || thread->state == GOMP_VIRTUAL_LOOSE;
}

double
gomp_virtual_rate (const struct gomp_virtual_thread *thread)
{
  return thread->rate > 0 ? thread->rate : 1;
}

/* A thread that waits for its CPU goes on as soon as that is free.  */

static void
wait_for_cpu (struct gomp_virtual_thread *thread)
{
  double free = gomp_virtual_cpu_free (thread);

  if (thread->state == GOMP_VIRTUAL_READY && thread->left == 0
      && thread->clock > thread->asked)
    gomp_virtual_retract (thread, free > thread->asked ? free : thread->asked);
}

void
gomp_virtual_share_out (void)
{
  double demand[GOMP_AMP_MAX_CLASSES] = { 0 }, rate[GOMP_AMP_MAX_CLASSES];
  bool changed = false;

  if (!gomp_virtual_capped)
    return;
  for (struct gomp_virtual_thread *thread = gomp_virtual_all ();
       thread != NULL; thread = thread->next_of_all)
    {
      /* A thread that stopped without a meeting is as late as it was then.  */
      if (thread->state == GOMP_VIRTUAL_ASLEEP
	  || thread->state == GOMP_VIRTUAL_AWAY)
	thread->left = 0;
      if (runs (thread))
	demand[class_of (thread)] += demand_of (thread);
    }
  gomp_virtual_share (&caps, gomp_virtual_machine.classes, demand, rate);
  for (struct gomp_virtual_thread *thread = gomp_virtual_all ();
       thread != NULL; thread = thread->next_of_all)
    {
      double now = demand_of (thread) > 0 ? rate[class_of (thread)] : 1;

      if (now == thread->rate)
	continue;
      if (thread->left > 0)
	{
	  gomp_virtual_stretch (thread, thread->left / now
					- thread->left / thread->rate);
	  changed = true;
	}
      thread->rate = now;
    }
  if (!changed)
    return;
  for (struct gomp_virtual_thread *thread = gomp_virtual_all ();
       thread != NULL; thread = thread->next_of_all)
    wait_for_cpu (thread);
  gomp_virtual_order_ready ();
  gomp_virtual_find_makespan ();
}

void
gomp_virtual_run_beside (struct gomp_virtual_thread *thread, double ns)
{
  double rate = gomp_virtual_rate (thread), late;

  moved[class_of (thread)] += ns * demand_of (thread);
  thread->rate = rate;
  if (thread->left == 0)
    thread->begun = thread->clock;
  gomp_virtual_occupy (thread, ns / rate);
  /* No thread waited for one without the baton.  What it ran before the
     moment up to which all is settled is settled, too.  */
  late = settled - thread->begun;
  if (thread->left == 0 && late > 0)
    ns -= late * rate;
  if (ns > 0)
    thread->left += ns;
  gomp_virtual_share_out ();
}

void
gomp_virtual_flow (struct gomp_virtual_thread *thread)
{
  double until = thread->clock;

  if (!gomp_virtual_capped)
    return;
  thread->left = 0;
  if (until <= settled)
    return;
  for (struct gomp_virtual_thread *other = gomp_virtual_all (); other != NULL;
       other = other->next_of_all)
    if (other->left > 0)
      {
	double from = other->begun > settled ? other->begun : settled;
	double done = until > from ? (until - from) * other->rate : 0;

	other->left = other->left > done ? other->left - done : 0;
      }
  settled = until;
}

void
gomp_virtual_print_bandwidth (FILE *out)
{
  unsigned classes = gomp_virtual_machine.classes;
  double sum = 0, bound = 0;

  if (!gomp_virtual_capped)
    return;
  for (unsigned class = 0; class < classes; class++)
    {
      double cap = caps.of_class[class];

      sum += moved[class];
      if (cap > 0 && moved[class] / cap > bound)
	bound = moved[class] / cap;
    }
  if (caps.all > 0 && sum / caps.all > bound)
    bound = sum / caps.all;
  fprintf (out, ",\"memory\":{\"caps\":\"%s\",\"bytes\":%.0f,\"bound_ns\":%.0f}",
	   gomp_amp_options.virtual_bandwidth, sum, bound);
}

void
gomp_virtual_clear_bandwidth (void)
{
  memset (moved, 0, sizeof moved);
  settled = 0;
}
