/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* A program of several that share the virtual machine, each in its own virtual
   time.  Between two decisions about cores programs on different cores do not
   see each other.  So each of them runs until the next decision, its limit, and
   asks the conductor (tools/amp-emu/conduct.cc), which answers when all others
   are there: with the program's CPUs from that moment on, and another limit.

   The threads of the program are moved as a kernel would move them when the
   program's cpuset changes: a thread whose own mask has CPUs that are allowed
   runs on these, any other on all that are allowed.  What a thread ran beyond
   the limit it ran on its new CPU.  */

#ifndef GOMP_VIRTUAL_CONDUCTOR_H
#define GOMP_VIRTUAL_CONDUCTOR_H 1

/* Of a process, at its limit or end.  Nanoseconds since its start: CLOCK; WORK:
   of the fastest core, all of it and that in teams; PARALLEL: the first
   thread's time in teams.  BUSY: the threads that run at the limit, or had a
   CPU for more than one part of GOMP_VIRTUAL_IDLE of the time since the last
   order to LOOK.  */
struct gomp_virtual_question
{
  double clock, work, parallel_work, parallel;
  int ended, busy;
};

/* As ampd has it.  */
#define GOMP_VIRTUAL_IDLE 50

#define GOMP_VIRTUAL_ORDER_CPUS 1024

/* Go on until LIMIT, on the CPUs whose bits are set.  LOOK: count from now on
   which threads are busy.  */
struct gomp_virtual_order
{
  double limit;
  int look;
  unsigned char cpus[GOMP_VIRTUAL_ORDER_CPUS / 8];
};

#ifdef GOMP_VIRTUAL_BATON_H
#pragma GCC visibility push(hidden)

/* A program sees that it is confined from this limit on.  */
#define GOMP_VIRTUAL_SEEN_NS 100e6

/* The clock at which no thread goes on before the conductor has been asked.
   Infinite without one.  With the lock.  */
extern double gomp_virtual_limit;

/* Called once, at start-up, and in a child process, which has no conductor.  */
extern void gomp_virtual_init_conductor (void);
extern void gomp_virtual_clear_conductor (void);

/* All threads that are not asleep have come to the limit.  Ask, and do what the
   answer says.  With the lock, and without the baton.  */
extern void gomp_virtual_ask_conductor (void);

/* The process ends.  */
extern void gomp_virtual_tell_end (void);

/* Remove from SET, of SIZE bytes, the CPUs that are not allowed, unless that is
   all of them: then it becomes the set of those that are.  With the lock.  */
extern void gomp_virtual_confine (size_t size, cpu_set_t *set);

#pragma GCC visibility pop
#endif

#endif /* GOMP_VIRTUAL_CONDUCTOR_H */
