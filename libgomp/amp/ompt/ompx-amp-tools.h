/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* What libgomp-amp lets a tool know beyond OMPT.  The function that the tool
   gets to look up entry points finds these too, by the names of the types
   without _t.  Another runtime has none of them.

   A callback may call them, where docs/design/ompt.md says so; a signal
   handler may not.  Those that fill a structure return 1, or 0 if there is
   nothing to tell, and leave the structure unchanged then.  */

#ifndef OMPX_AMP_TOOLS_H
#define OMPX_AMP_TOOLS_H 1

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Nanoseconds since an arbitrary moment; virtual in the lab.  */
typedef uint64_t (*ompx_amp_get_time_t) (void);

/* When and in which process the library was loaded, and the files that
   GOMP_AMP_REPORT and GOMP_AMP_TRACE named then, or NULL.  */
typedef struct ompx_amp_start_t
{
  uint64_t time;
  int process;
  const char *report, *trace;
} ompx_amp_start_t;
typedef int (*ompx_amp_get_start_t) (ompx_amp_start_t *start);

/* Print a line on standard error, unless that is another file by now than it
   was at the start.  */
typedef void (*ompx_amp_print_message_t) (const char *text);

/* The classes of cores: 0 is the slowest.  CAPACITY is by class; 0 if it is not
   known.  FORCED: the classes are those of threads, not of CPUs.  The WORKERS
   of folded teams are on the CPUs of WORKER_CPU; 0 if teams are not folded.  */
typedef struct ompx_amp_machine_t
{
  unsigned classes;
  int forced;
  const char *source;
  const unsigned *capacity;
  unsigned cpus;
  unsigned workers;
  const unsigned *worker_cpu;
} ompx_amp_machine_t;
typedef int (*ompx_amp_get_machine_t) (ompx_amp_machine_t *machine);

/* The class of a CPU; -1 if the process may not use it.  */
typedef int (*ompx_amp_get_class_of_cpu_t) (unsigned cpu);

/* The class of the core on which the calling thread runs.  */
typedef int (*ompx_amp_get_class_t) (void);

/* How a region was run.  */
typedef enum ompx_amp_way_t
{
  /* Each thread number by a thread of its own, at the same time.  */
  ompx_amp_way_threads = 0,
  /* By the workers of a folded team.  */
  ompx_amp_way_folded = 1
} ompx_amp_way_t;

/* A region.  FUNCTION: what its threads run.  Once the region has ended: how it
   was run, on how many PLACES (workers, or threads), and why it was folded by
   the kernel or not folded: a key, or NULL; a text for people, or NULL, with
   the name that its module imports, or NULL.  */
typedef struct ompx_amp_region_t
{
  const void *function;
  ompx_amp_way_t way;
  unsigned places;
  const char *why_key, *why_what, *why_text, *why_name;
} ompx_amp_region_t;
typedef int (*ompx_amp_get_region_t) (union ompt_data_t *parallel_data,
				      ompx_amp_region_t *region);

/* Where the calling thread's number runs.  POOL: differs between initial
   threads.  WORKER: the worker that the number is dealt to; -1 if to none.  */
typedef struct ompx_amp_worker_t
{
  uint64_t pool;
  int worker;
} ompx_amp_worker_t;
typedef int (*ompx_amp_get_worker_t) (ompx_amp_worker_t *worker);

/* What a loop ran as.  */
typedef enum ompx_amp_ran_t
{
  ompx_amp_ran_static = 0,
  ompx_amp_ran_static_chunked = 1,
  ompx_amp_ran_dynamic = 2,
  ompx_amp_ran_guided = 3,
  ompx_amp_ran_aid_static = 4,
  ompx_amp_ran_aid_hybrid = 5,
  ompx_amp_ran_aid_dynamic = 6,
  ompx_amp_ran_timed_chunks = 7
} ompx_amp_ran_t;

/* Why it did so: bits.  None of the first two: OMP_SCHEDULE or
   omp_set_schedule, or the program's own clause.  */
typedef enum ompx_amp_why_t
{
  ompx_amp_why_option = 1,
  ompx_amp_why_default = 2,
  ompx_amp_why_auto_is_static = 4,
  ompx_amp_why_cores_alike = 8,
  ompx_amp_why_ordered = 16,
  ompx_amp_why_no_memory = 32
} ompx_amp_why_t;

/* The loop that the calling thread is in.  COUNTED: ITERATIONS is how many the
   thread ran.  Not those of dynamic and guided loops, nor of a cancelled one.
   FACTORS: the speedup factors by class that were measured in this loop, or
   NULL.  */
typedef struct ompx_amp_loop_t
{
  ompx_amp_ran_t ran;
  unsigned why;
  int counted;
  uint64_t iterations;
  unsigned classes;
  const double *factors;
} ompx_amp_loop_t;
typedef int (*ompx_amp_get_loop_t) (ompx_amp_loop_t *loop);

#ifdef __cplusplus
}
#endif

#endif /* OMPX_AMP_TOOLS_H */
