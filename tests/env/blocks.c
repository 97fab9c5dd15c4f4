/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs loops through the entry points that compilers call, and prints for each
   the schedule that the library names and the blocks that it handed out.

   blocks TRIPS CASE...

   CASE is ENTRY[/BIND[/THREADS]].  ENTRY is runtime, for a loop whose author
   wrote schedule(runtime), or routed, ull, combined or reduction, for loops
   that the compiler routed; BIND is as in a proc_bind clause, and THREADS as in
   num_threads.  After a + another such case follows, which each thread of the
   first one's team runs as a nested region, one after the other.  Prints a line
   of JSON a team.

   set=KIND,CHUNK calls omp_set_schedule, mask=CPU,... binds the calling thread,
   and meetings=N says how many of their first blocks the threads wait for each
   other with.  */

#define _GNU_SOURCE
#include <omp.h>
#include <ompx_amp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* It is linked to the system's library, and run on ours.  */
#pragma weak ompx_amp_get_routed_schedule

#define MAX_THREADS 64
#define MAX_BLOCKS 100000

extern void GOMP_parallel (void (*) (void *), void *, unsigned, unsigned);
extern void GOMP_parallel_loop_nonmonotonic_runtime (void (*) (void *), void *,
						     unsigned, long, long,
						     long, unsigned);
extern bool GOMP_loop_runtime_start (long, long, long, long *, long *);
extern bool GOMP_loop_runtime_next (long *, long *);
extern bool GOMP_loop_nonmonotonic_runtime_start (long, long, long, long *,
						  long *);
extern bool GOMP_loop_nonmonotonic_runtime_next (long *, long *);
extern bool GOMP_loop_ull_nonmonotonic_runtime_start
  (bool, unsigned long long, unsigned long long, unsigned long long,
   unsigned long long *, unsigned long long *);
extern bool GOMP_loop_ull_nonmonotonic_runtime_next (unsigned long long *,
						     unsigned long long *);
extern bool GOMP_loop_start (long, long, long, long, long, long *, long *,
			     void *, void **);
extern void GOMP_loop_end (void);
extern void GOMP_loop_end_nowait (void);

struct block
{
  long start, end;
  int thread;
};

struct region
{
  const char *entry;		/* The case from here on.  */
  long trips;
  int kind, chunk, arg;		/* What the library says it runs.  */
  int threads;
  int places[MAX_THREADS];
  int cpus[MAX_THREADS];	/* Where each is bound; -1 = to several.  */
  int arrived;
  int count;
  struct block *block;
};

static const char *const binds[] = { "false", "true", "primary", "close",
				     "spread" };

static void run_case (const char *text, long trips);

static bool
entry_is (const struct region *region, const char *name)
{
  size_t length = strcspn (region->entry, "/+");
  return strlen (name) == length && strncmp (region->entry, name, length) == 0;
}

static bool
next_block (const struct region *region, bool first, long *start, long *end)
{
  if (entry_is (region, "runtime"))
    return first ? GOMP_loop_runtime_start (0, region->trips, 1, start, end)
		 : GOMP_loop_runtime_next (start, end);
  if (entry_is (region, "ull"))
    {
      unsigned long long s, e;
      bool more = first ? GOMP_loop_ull_nonmonotonic_runtime_start
			    (true, 0, region->trips, 1, &s, &e)
			: GOMP_loop_ull_nonmonotonic_runtime_next (&s, &e);
      *start = s;
      *end = e;
      return more;
    }
  if (first && entry_is (region, "reduction"))
    /* 4 is schedule(nonmonotonic:runtime) here.  */
    return GOMP_loop_start (0, region->trips, 1, 4, 0, start, end, NULL, NULL);
  if (first && !entry_is (region, "combined"))
    return GOMP_loop_nonmonotonic_runtime_start (0, region->trips, 1, start,
						 end);
  return GOMP_loop_nonmonotonic_runtime_next (start, end);
}

/* How many of its blocks a thread runs only when all threads have as many, or
   have found the loop empty.  With one all have come to the loop before it is
   over; with two all have what was allotted then.  */
static int meetings = 1;

/* The caller has run BLOCKS blocks before, and has another, or none: meet the
   others if it is to.  */

static void
meet (struct region *region, int blocks)
{
  if (blocks >= meetings)
    return;
  __atomic_add_fetch (&region->arrived, 1, __ATOMIC_ACQ_REL);
  while (__atomic_load_n (&region->arrived, __ATOMIC_ACQUIRE)
	 < omp_get_num_threads () * (blocks + 1))
    sched_yield ();
}

/* The CPU that the calling thread is bound to; -1 if there are several.  */

static int
bound_cpu (void)
{
  cpu_set_t set;

  if (sched_getaffinity (0, sizeof set, &set) != 0 || CPU_COUNT (&set) != 1)
    return -1;
  for (int cpu = 0;; cpu++)
    if (CPU_ISSET (cpu, &set))
      return cpu;
}

static void
print_list (const char *name, const int *list, int n)
{
  printf ("\"%s\": [", name);
  for (int i = 0; i < n; i++)
    printf ("%s%d", i ? ", " : "", list[i]);
  printf ("], ");
}

static void
run_region (void *data)
{
  struct region *region = data;
  const char *inner = strchr (region->entry, '+');
  int thread = omp_get_thread_num ();
  long start, end;
  int blocks = 0;

  region->places[thread] = omp_get_place_num ();
  region->cpus[thread] = bound_cpu ();
  if (thread == 0)
    {
      region->threads = omp_get_num_threads ();
      ompx_amp_get_routed_schedule (&region->kind, &region->chunk,
				    &region->arg);
    }
  for (bool first = true; next_block (region, first, &start, &end);
       first = false)
    {
      int i = __atomic_fetch_add (&region->count, 1, __ATOMIC_RELAXED);

      if (i < MAX_BLOCKS)
	region->block[i] = (struct block) { start, end, thread };
      meet (region, blocks++);
    }
  while (blocks < meetings)
    meet (region, blocks++);
  if (entry_is (region, "combined"))
    GOMP_loop_end_nowait ();
  else
    GOMP_loop_end ();
  if (inner != NULL)
    for (int i = 0; i < omp_get_num_threads (); i++)
      {
	if (i == thread)
	  run_case (inner + 1, region->trips);
#pragma omp barrier
      }
}

static int
compare_blocks (const void *a, const void *b)
{
  long first = ((const struct block *) a)->start;
  long second = ((const struct block *) b)->start;

  return (first > second) - (first < second);
}

static void
print_region (struct region *region, const char *text)
{
  qsort (region->block, region->count, sizeof *region->block, compare_blocks);
  printf ("{\"case\": \"%.*s\", \"level\": %d, \"schedule\": [%d, %d, %d], ",
	  (int) strcspn (text, "+"), text, omp_get_level (), region->kind,
	  region->chunk, region->arg);
  print_list ("places", region->places, region->threads);
  print_list ("cpus", region->cpus, region->threads);
  printf ("\"blocks\": [");
  for (int i = 0; i < region->count; i++)
    printf ("%s[%ld, %ld, %d]", i ? ", " : "", region->block[i].start,
	    region->block[i].end, region->block[i].thread);
  puts ("]}");
}

static void
run_case (const char *text, long trips)
{
  struct region region = { .entry = text, .trips = trips };
  unsigned flags = 0, threads = 0;
  const char *p = text + strcspn (text, "/+");

  region.block = calloc (MAX_BLOCKS, sizeof *region.block);
  if (*p == '/')
    {
      size_t length = strcspn (++p, "/+");

      for (unsigned i = 0; i < sizeof binds / sizeof binds[0]; i++)
	if (strlen (binds[i]) == length && strncmp (binds[i], p, length) == 0)
	  flags = i;
      p += length;
    }
  if (*p == '/')
    threads = atoi (p + 1);
  if (entry_is (&region, "combined"))
    GOMP_parallel_loop_nonmonotonic_runtime (run_region, &region, threads, 0,
					     trips, 1, flags);
  else
    GOMP_parallel (run_region, &region, threads, flags);
  print_region (&region, text);
  free (region.block);
}

/* Bind the calling thread to the CPUs of LIST.  */

static void
set_mask (const char *list)
{
  cpu_set_t set;

  CPU_ZERO (&set);
  for (const char *p = list; *p != '\0'; p += *p == ',')
    CPU_SET (strtoul (p, (char **) &p, 10), &set);
  if (sched_setaffinity (0, sizeof set, &set) != 0)
    exit (1);
}

int
main (int argc, char **argv)
{
  int kind, chunk;

  for (int i = 2; i < argc; i++)
    if (strncmp (argv[i], "mask=", 5) == 0)
      set_mask (argv[i] + 5);
    else if (sscanf (argv[i], "meetings=%d", &meetings) == 1)
      continue;
    else if (sscanf (argv[i], "set=%i,%i", &kind, &chunk) == 2)
      omp_set_schedule ((omp_sched_t) kind, chunk);
    else
      run_case (argv[i], atol (argv[1]));
  return 7;
}
