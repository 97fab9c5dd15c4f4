/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The threads of virtual time and the baton, which at most one of them holds.
   For virtual/ only.  */

#ifndef GOMP_VIRTUAL_BATON_H
#define GOMP_VIRTUAL_BATON_H 1

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>
#include <time.h>
#include "virtual-machine.h"

#pragma GCC visibility push(hidden)

struct gomp_thread;
struct gomp_team;

enum gomp_virtual_state
{
  /* Runs without the baton: it held it for too long while others waited for
     it.  A thread that spins on a variable does that.  */
  GOMP_VIRTUAL_LOOSE,
  /* Also without the baton, but no thread waits for what it will do.  It is
     new, or it is blocked by something that virtual time does not know (input,
     a mutex of the program's own).  */
  GOMP_VIRTUAL_AWAY,
  /* Holds the baton.  */
  GOMP_VIRTUAL_HOLDER,
  /* In the heap: goes on as soon as no other thread's clock is lower.  */
  GOMP_VIRTUAL_READY,
  /* Sleeps on some words.  */
  GOMP_VIRTUAL_ASLEEP
};

/* A word that THREAD sleeps on.  */
struct gomp_virtual_sleep
{
  struct gomp_virtual_thread *thread;
  int *addr;
  /* The next one in a bucket of sleepers.  */
  struct gomp_virtual_sleep *next;
};

/* gomp_virtual_lock protects all members unless stated otherwise.  */
struct gomp_virtual_thread
{
  enum gomp_virtual_state state;
  /* Virtual time, in nanoseconds.  */
  double clock;
  /* The thread's work in nanoseconds (counted.h) up to which its clock
     includes what it ran.  The thread itself writes it without the lock; others
     read it atomically.  */
  unsigned long long since;
  /* The real time of that.  The thread's own, without the lock.  */
  unsigned long long real_since;
  /* The slowness of each core class for the code that it runs now.  */
  const struct gomp_virtual_factors *factors;
  /* With a cap on the memory's bandwidth (bandwidth.h): how much of its segment
     is not settled, in nanoseconds of its core's time alone; its clock when the
     segment began; and its speed now, as a fraction of that alone.  */
  double left, begun, rate;
  unsigned cpu;
  /* For how long its CPU had been busy when the thread last went on, and what
     it has used of it since.  */
  double busy_before;
  /* For how long the thread has been busy since it last got the baton or was
     woken.  */
  double own;
  /* For how long it has been busy, and had been when the conductor looked.  */
  double used, used_then;
  /* If BOUND, the CPUs that it may run on.  */
  bool bound;
  cpu_set_t mask;
  /* MASK has changed since CPU was chosen.  */
  bool unsettled;
  /* These break ties between clocks.  ASKED is the clock when the thread became
     ready, before it had to wait for its CPU.  ORDER is its number, so that
     runs are repeatable.  */
  double asked;
  unsigned order;
  /* Whether its team has several threads.  */
  bool parallel;
  /* PARALLEL was not set for what it ran last.  */
  bool ran_alone;
  /* Whether it is the process's first thread.  Its time in teams is the
     program's.  */
  bool first;
  /* The number of accounts.  The monitor sees by it whether the thread is
     stuck.  */
  unsigned accounts;

  /* A real futex: not 0 when the thread may go on.  Without the lock.  */
  int go;
  /* The words that it sleeps on.  */
  struct gomp_virtual_sleep *sleep;
  unsigned sleeps;
  /* The next loose thread.  */
  struct gomp_virtual_thread *next;
  /* The next of all threads.  */
  struct gomp_virtual_thread *next_of_all;

  /* Whether the factors of its loop have been looked up.  The thread's own,
     without the lock.  */
  bool in_loop;

  /* Libgomp's data of the thread, and its team, number in the team and place
     when CPU was chosen.  */
  const struct gomp_thread *thr;
  const struct gomp_team *team;
  unsigned team_id, place;

  pid_t tid;
  clockid_t cpu_clock;
  /* The counters of its work, if work is counted.  */
  unsigned long long *work_of_library, *work_of_program;
  /* The thread's own, without the lock: where it looked last for what another
     thread did, its work then, and for how many times in a row.  */
  const void *looked_at;
  unsigned long long looked;
  unsigned looks_here;
  /* Whether the code of virtual/ runs.  Atomic.  */
  bool in_lab;
  /* What the monitor saw last: the number of accounts, for how many looks it
     has been the same, and in how many of the last looks in a row the thread
     slept.  */
  unsigned seen_accounts;
  unsigned long long seen_work, seen_cpu_time;
  unsigned looks;
  unsigned sleeping;
};

/* "The lock" below and in clocks.h is this one.  It protects all that threads
   share in virtual/, unless stated otherwise.  It is held for short times
   only.  */
extern pthread_mutex_t gomp_virtual_lock;

/* Take the lock, account for the calling thread and return it.  The caller must
   release the lock: by gomp_virtual_end, by gomp_virtual_pass, or by
   gomp_virtual_release and then gomp_virtual_resume.  If virtual time has not
   started, return NULL without the lock.  */
extern struct gomp_virtual_thread *gomp_virtual_begin (void);

/* Release the lock.  What ME, the calling thread, runs from now on is the
   program's.  */
extern void gomp_virtual_end (struct gomp_virtual_thread *me);

/* ME, the calling thread, stops running, with the baton or without.  It has
   been accounted for.  With the lock.  */
extern void gomp_virtual_stop (struct gomp_virtual_thread *me);

/* Make THREAD, which does not run, ready.  With the lock.  */
extern void gomp_virtual_make_ready (struct gomp_virtual_thread *thread);

/* ME, the calling thread, is ready or asleep.  Give the baton to the thread
   that is next, release the lock, and return when ME has the baton.  What it
   runs then is the program's.  */
extern void gomp_virtual_pass (struct gomp_virtual_thread *me);

/* ME, the calling thread, is new and ready: return when it has the baton.  What
   it runs then is the program's.  Without the lock.  */
extern void gomp_virtual_wait_for_baton (struct gomp_virtual_thread *me);

/* If no thread holds the baton, give it to the thread that is next.  Release
   the lock.  */
extern void gomp_virtual_release (void);

/* Give the baton to ME, the first thread.  Without the lock, since there is no
   other thread yet.  */
extern void gomp_virtual_give (struct gomp_virtual_thread *me);

/* Reset the baton: no thread holds it, is ready for it, or has the lock.  For a
   child process, which has one thread.  */
extern void gomp_virtual_clear_baton (void);

/* Reset the sleepers: no thread sleeps.  Also for a child process
   (sleep.c).  */
extern void gomp_virtual_clear_sleepers (void);

/* For how long a waiting thread spins before it sleeps, in nanoseconds
   (sleep.c).  */
extern double gomp_virtual_spin_window (void);

/* From now on, the calling thread's factors are FACTORS.  */
extern void gomp_virtual_use (const struct gomp_virtual_factors *factors);

/* Whether a team was started; needs no lock (threads.c).  */
extern bool gomp_virtual_opened_team (void);

/* The calling thread; NULL before gomp_virtual_start.  Must be called without
   the lock, which it may take (threads.c).  */
extern struct gomp_virtual_thread *gomp_virtual_self (void);

/* For the monitor (monitor.c): take the baton from a thread that holds up
   others, and give it to the next.  Returns after how many milliseconds to look
   again; 0 if no thread waits.  */
extern unsigned gomp_virtual_look (void);

/* Sleep until a thread may be held up.  The monitor calls it if
   gomp_virtual_look returned 0.  */
extern void gomp_virtual_idle (void);

/* Look at THREAD, which runs.  Returns whether it is blocked in the kernel.
   With the lock (monitor.c).  */
extern bool gomp_virtual_blocked (struct gomp_virtual_thread *thread);

/* Whether THREAD sleeps in the kernel (monitor.c).  */
extern bool gomp_virtual_sleeps (const struct gomp_virtual_thread *thread);

/* Start the monitor.  */
extern void gomp_virtual_start_monitor (void);

/* Thread TID, or NULL; all threads, a list.  With the lock (threads.c).  */
extern struct gomp_virtual_thread *gomp_virtual_find (pid_t tid);
extern struct gomp_virtual_thread *gomp_virtual_all (void);

/* The time on the CPU of THREAD, which sleeps.  With the lock (baton.c).  */
extern double gomp_virtual_time_on_cpu
  (const struct gomp_virtual_thread *thread);

/* THREAD's CPU, by its number, and its mask or place (placement.c).  */
extern unsigned gomp_virtual_choose_cpu
  (const struct gomp_virtual_thread *thread);

/* Choose THREAD's CPU again if it has a new team, number in the team or place.
   THREAD is the calling thread or sleeps.  With the lock (placement.c).  */
extern void gomp_virtual_settle (struct gomp_virtual_thread *thread);

/* Read the files of loops' own factors and demands, if there are some
   (loops.c).  */
extern void gomp_virtual_init_loops (void);

/* Whether some code demands bandwidth (loops.c).  */
extern bool gomp_virtual_demanding (void);

/* The number of lines of those files; in *USED, the number of lines that
   matched a loop.  */
extern unsigned gomp_virtual_count_lines (unsigned *used);

#pragma GCC visibility pop

#endif /* GOMP_VIRTUAL_BATON_H */
