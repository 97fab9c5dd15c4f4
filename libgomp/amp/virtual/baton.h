/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The threads of virtual time and who holds the baton; for virtual/ only.  */

#ifndef GOMP_VIRTUAL_BATON_H
#define GOMP_VIRTUAL_BATON_H 1

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>
#include <time.h>
#include "virtual-machine.h"

#pragma GCC visibility push(hidden)

struct gomp_thread;
struct gomp_team;

enum gomp_virtual_state
{
  /* Runs without the baton: new, or it had the baton for too long while others
     waited for it, as a thread does that spins on a variable.  */
  GOMP_VIRTUAL_LOOSE,
  /* The same, but blocked where we can't see by what (input, a mutex of the
     program's own): nobody waits for what it will do.  */
  GOMP_VIRTUAL_AWAY,
  /* Holds the baton.  */
  GOMP_VIRTUAL_HOLDER,
  /* In the heap: would go on as soon as no other thread's clock is lower.  */
  GOMP_VIRTUAL_READY,
  /* Sleeps on FUTEX.  */
  GOMP_VIRTUAL_ASLEEP
};

/* All of it is protected by gomp_virtual_lock unless said otherwise.  */
struct gomp_virtual_thread
{
  enum gomp_virtual_state state;
  /* Virtual time, in nanoseconds.  */
  double clock;
  /* CPU time that was accounted for last, in nanoseconds.  */
  unsigned long long since;
  /* What the real clock showed then.  */
  unsigned long long real_since;
  /* How slow each class of cores is for what it runs now.  */
  const struct gomp_virtual_factors *factors;
  unsigned cpu;
  /* Break ties between clocks: the clock when it got ready, before it had to
     wait for its CPU; and, for the sake of repeatability, its number.  */
  double asked;
  unsigned order;
  /* Whether its team has several threads.  */
  bool parallel;
  /* Whether it is the thread that began.  Its clock is the program's.  */
  bool first;
  /* Counts accounts, so that the monitor sees whether it is stuck.  */
  unsigned accounts;

  /* A real futex: not 0 when the thread may go on.  */
  int go;
  /* What a sleeping thread sleeps on, and the next of its bucket.  */
  int *futex;
  /* Next in its list: of loose threads, or of a bucket of sleepers.  */
  struct gomp_virtual_thread *next;

  /* The thread's own: whether its loop's factors have been looked up.  */
  bool in_loop;

  /* Libgomp's part of it, and where that was when CPU was chosen.  */
  const struct gomp_thread *thr;
  const struct gomp_team *team;
  unsigned team_id, place;

  pid_t tid;
  clockid_t cpu_clock;
  /* What the monitor saw last: the accounts, for how many of its looks they
     have been the same, and whether it slept then.  */
  unsigned seen_accounts;
  unsigned looks;
  unsigned sleeping;
};

/* The lock that is meant below and in clocks.h.  Protects what threads share in
   virtual/, unless said otherwise; it is held for moments.  */
extern pthread_mutex_t gomp_virtual_lock;

/* Account for the calling thread and return it with the lock, which the caller
   has to let go of: by gomp_virtual_end, by gomp_virtual_pass, or by
   gomp_virtual_release and then gomp_virtual_resume.  NULL, and no lock, if
   virtual time has not started.  */
extern struct gomp_virtual_thread *gomp_virtual_begin (void);

/* Let go of the lock; what ME, the calling thread, does from now on is the
   program's.  */
extern void gomp_virtual_end (struct gomp_virtual_thread *me);

/* ME, the calling thread, which was accounted for, stops running, in whatever
   state it did.  With the lock.  */
extern void gomp_virtual_stop (struct gomp_virtual_thread *me);

/* Make THREAD, which runs no more, ready.  With the lock.  */
extern void gomp_virtual_make_ready (struct gomp_virtual_thread *thread);

/* ME, the calling thread, is ready or asleep.  Give the baton to whom it is
   due, let go of the lock, and return when ME has the baton; what it does then
   is the program's.  */
extern void gomp_virtual_pass (struct gomp_virtual_thread *me);

/* If nobody holds the baton, give it to whom it is due; let go of the lock.  */
extern void gomp_virtual_release (void);

/* ME, the first thread, has the baton from the start.  Without the lock: before
   there are others.  */
extern void gomp_virtual_give (struct gomp_virtual_thread *me);

/* Nobody holds the baton or is ready for it, and nobody has the lock.  In a
   child process, of one thread.  */
extern void gomp_virtual_clear_baton (void);

/* Nobody sleeps; as above (sleep.c).  */
extern void gomp_virtual_clear_sleepers (void);

/* Make FACTORS those of the calling thread from now on.  */
extern void gomp_virtual_use (const struct gomp_virtual_factors *factors);

/* Whether a team was started; needs no lock (threads.c).  */
extern bool gomp_virtual_opened_team (void);

/* The calling thread's part of all this; NULL before gomp_virtual_start.  To be
   called without the lock (threads.c).  */
extern struct gomp_virtual_thread *gomp_virtual_self (void);

/* For the monitor (monitor.c): look after those who hold up others.  Returns
   how many milliseconds later to look again, 0 if nobody waits.  */
extern unsigned gomp_virtual_look (void);

/* Sleep until somebody may be held up; to be called if gomp_virtual_look
   returned 0.  */
extern void gomp_virtual_idle (void);

/* Look at THREAD, which runs, with the lock; returns whether it is blocked in
   the kernel (monitor.c).  */
extern bool gomp_virtual_blocked (struct gomp_virtual_thread *thread);

/* Start the monitor.  */
extern void gomp_virtual_start_monitor (void);

/* See whether THREAD, which is the calling one or sleeps, has got into another
   team, and is on another CPU therefore (placement.c).  With the lock.  */
extern void gomp_virtual_settle (struct gomp_virtual_thread *thread);

/* Read the file of loops' own factors, if there is one (loops.c).  */
extern void gomp_virtual_init_loops (void);

/* How many lines it has, and in *USED how many of them some loop was found
   in.  */
extern unsigned gomp_virtual_count_lines (unsigned *used);

#pragma GCC visibility pop

#endif /* GOMP_VIRTUAL_BATON_H */
