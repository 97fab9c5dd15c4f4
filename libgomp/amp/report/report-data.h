/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* What the report keeps; for report*.c, and its sites and runs for watch/ and
   trace/.

   What a thread did in loops is kept by thread, and only that thread writes it:
   no cache line is shared.  What ids did in a run is kept in the run, and what
   runs did in a record of the region, which the thread that ends the run
   updates under GOMP_AMP_LOCK_REPORT.

   Memory is bounded.  What has no room is counted in sums without a site, so
   that the totals are those of the program.  */

#ifndef GOMP_AMP_REPORT_DATA_H
#define GOMP_AMP_REPORT_DATA_H 1

#include <stdbool.h>
#include <stdio.h>
#include "report/report.h"

#pragma GCC visibility push(hidden)

/* A class above counts as the last one.  */
#define GOMP_REPORT_CLASSES 8
/* The most regions, and the most loops.  */
#define GOMP_REPORT_SITES 1024
/* The most threads at a time.  */
#define GOMP_REPORT_THREADS_MOST 4096
/* The most bytes for what threads did in loops.  */
#define GOMP_REPORT_BYTES (32UL << 20)
/* The most ids of a run that are shown one by one.  */
#define GOMP_REPORT_IDS 32

/* Sums over the parts of threads of a class, or over ids.  VALUE is the time of
   an iteration, or of an id, in nanoseconds; TIMED: how many values there
   are.  */
struct gomp_report_class
{
  gomp_report_sum parts, iterations, ns, timed;
  double value, square;
};

/* What one thread did in a loop.  As id 0 it also counts executions: their
   number, the sum of their trip counts, the least and the most, what they ran
   as, and the reasons, a set of enum gomp_amp_why.  */
struct gomp_report_loop
{
  gomp_report_sum invocations, trips, least, most;
  gomp_report_sum way[GOMP_REPORT_WAY_COUNT];
  unsigned char why[GOMP_REPORT_WAY_COUNT];
  struct gomp_report_class cls[GOMP_REPORT_CLASSES];
};

/* A thread.  Never freed; another one may take it over.  */
struct gomp_report_thread
{
  struct gomp_report_thread *next;
  bool used;
  /* How long it has waited so far, and how much of that was not at a
     barrier.  */
  gomp_report_sum waited, elsewhere;
  /* By the number of the loop's site; the last one is for loops that have
     none.  NULL until the thread has run the loop.  */
  struct gomp_report_loop *loop[GOMP_REPORT_SITES + 1];
};

/* An id of a run.  */
struct gomp_report_id
{
  /* When it began and ended, or 0.  USEFUL may grow after that by tasks that
     its thread runs in the barrier.  */
  gomp_report_sum began, ended, useful, elsewhere;
  /* What its thread had waited when it began.  */
  gomp_report_sum waited_before, elsewhere_before;
  unsigned place;
  unsigned char cls;
} __attribute__ ((aligned (64)));

/* One run.  */
struct gomp_report_run
{
  struct gomp_report_run *next;
  /* It has begun and not ended, in this process.  */
  bool active;
  unsigned ids, room;
  bool nested;
  struct gomp_report_site *site;
  /* No other run of the process has the same.  */
  gomp_report_sum serial;
  gomp_report_sum began;
  /* Used only if there is a report.  */
  struct gomp_report_id id[];
};

/* An id of the longest run of a region, for a picture of it.  */
struct gomp_report_picture_id
{
  gomp_report_sum began, ended, useful;
  unsigned place;
  unsigned char cls;
};

/* Sums over the runs of a region.  */
struct gomp_report_region
{
  gomp_report_sum invocations, nested, how[GOMP_REPORT_HOWS];
  unsigned least, most, places;
  /* Times, summed over runs; over places too but for ELAPSED, EVEN and
     FOLDED.  EVEN: what folded runs would have taken if each place had run as
     many ids; FOLDED: what they took.  */
  gomp_report_sum elapsed, capacity, useful, imbalance, scheduling, elsewhere;
  gomp_report_sum even, folded;
  /* By class: CAPACITY, of the places that are of this class.  */
  gomp_report_sum class_capacity[GOMP_REPORT_CLASSES];
  struct gomp_report_class cls[GOMP_REPORT_CLASSES];
  /* The longest run.  */
  gomp_report_sum longest;
  unsigned pictured;
  struct gomp_report_picture_id picture[GOMP_REPORT_IDS];
};

/* A region, loop or function of tasks.  Constant but for REGION.  */
struct gomp_report_site
{
  /* Its number among those of its kind.  */
  unsigned number;
  /* module+0xoffset, or NULL; the module's file; and the address in it.  */
  const char *name;
  char *module;
  unsigned long address;
  const struct gomp_amp_site *site;
  /* Only if it is a region, and there is a report.  */
  struct gomp_report_region *region;
};

/* All of it, under GOMP_AMP_LOCK_REPORT.  */
struct gomp_report
{
  struct gomp_report_site *region[GOMP_REPORT_SITES];
  struct gomp_report_site *loop[GOMP_REPORT_SITES];
  struct gomp_report_site *task[GOMP_REPORT_SITES];
  unsigned regions, loops, tasks;
  /* Runs, and threads' parts, that found no room.  */
  gomp_report_sum lost;
  struct gomp_report_region other;
  /* Of all runs that were not nested.  */
  struct gomp_report_region all;
  struct gomp_report_run *runs;
  gomp_report_sum serial;
  struct gomp_report_thread *threads;
  unsigned thread_count;
  unsigned long bytes;
  /* When the process, or the child of a fork, began.  */
  gomp_report_sum began;
  bool forked;
};

extern struct gomp_report gomp_report;

/* Relaxed: only its own thread writes X, and others read it at the end.  A
   machine without such accesses may show a wrong number if a report is written
   while threads run.  */
#define GOMP_REPORT_READ(x) \
  (GOMP_AID_LOCK_FREE ? __atomic_load_n (&(x), __ATOMIC_RELAXED) : (x))
#define GOMP_REPORT_WRITE(x, value) \
  (GOMP_AID_LOCK_FREE ? __atomic_store_n (&(x), (value), __ATOMIC_RELAXED) \
   : (void) ((x) = (value)))
#define GOMP_REPORT_ADD(x, more) GOMP_REPORT_WRITE (x, (x) + (more))

/* The names of enum gomp_report_way.  */
extern const char *const gomp_report_ways[GOMP_REPORT_WAY_COUNT];

/* The class of THR, the calling thread, or the last one that is told apart.  */
extern unsigned gomp_report_class_of (struct gomp_thread *thr);

/* The record of the region FN, of the loop at ADDRESS, or of the tasks that run
   FN; NULL if there is no room.  */
extern struct gomp_report_site *gomp_report_region_site (void (*fn) (void *));
extern struct gomp_report_site *gomp_report_loop_site (const void *address);
extern struct gomp_report_site *gomp_report_task_site (void (*fn) (void *));

/* How the run that ends now was run, of which the calling thread is id 0, and
   the number of its places, which is IDS if it is not folded.  */
extern enum gomp_report_how gomp_report_how (unsigned ids, unsigned *places);

/* The class of the worker that is place P of a folded run, by its CPU.  */
extern unsigned gomp_report_class_of_place (unsigned p);

/* Why a region is not folded or not called.  KEY: of fold-why.def; NULL if no
   region of the program is folded.  WHAT: the words before TEXT.  TEXT: NULL if
   the region is called, or folding is off.  */
struct gomp_report_why
{
  const char *key, *what, *text;
};

/* The same of the region of SITE, which may be NULL.  */
extern struct gomp_report_why
  gomp_report_why_not (const struct gomp_report_site *site);

/* The sum of what all threads did in the loop of NUMBER into *SUM, and in *EVEN
   and *LONGEST the longest time of a thread: if all had run as many iterations,
   and as it was.  Returns the number of threads.  */
extern unsigned gomp_report_sum_loop (unsigned number,
				      struct gomp_report_loop *sum,
				      double *even, double *longest);

/* Add the sums of the run that TEAM's thread has ended at ENDED to REGION.  */
extern void gomp_report_add_run (struct gomp_report_region *region,
				 const struct gomp_report_run *run,
				 enum gomp_report_how how, unsigned places,
				 gomp_report_sum ended);

/* Print it to OUT.  */
extern void gomp_report_print (FILE *out);

#pragma GCC visibility pop

#endif /* GOMP_AMP_REPORT_DATA_H */
