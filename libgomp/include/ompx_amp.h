/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The extensions of libgomp-amp to the OpenMP API: schedule kinds for
   omp_set_schedule, the library's version, and what it knows about the
   machine.  */

#ifndef OMPX_AMP_H
#define OMPX_AMP_H 1

#ifdef __cplusplus
extern "C" {
#endif

/* Schedule kinds of loops with schedule(runtime).  Cast one to omp_sched_t:

     omp_set_schedule ((omp_sched_t) ompx_amp_sched_aid_hybrid, chunk);

   A chunk less than 1 means the schedule's default.  omp_get_schedule returns
   the same numbers.  Under a libgomp that is not ours they are no schedule at
   all: see ompx_amp_version.  */
typedef enum ompx_amp_sched_t
{
  ompx_amp_sched_aid_static = 0x40000001,
  ompx_amp_sched_aid_hybrid = 0x40000002,
  ompx_amp_sched_aid_dynamic = 0x40000003
} ompx_amp_sched_t;

/* The library's version, 10000 * major + 100 * minor + patch.  A stock
   libgomp lacks this symbol; declare it weak to tell the two apart.  */
extern int ompx_amp_version (void);

/* The core classes, as the library sees them.  `amp-info' prints what these
   functions answer.  Each may be called by any thread at any time.

   A core class is a set of cores of about equal speed.  Classes belong to the
   machine: they are numbered from 0, the slowest, over all of its CPUs, and a
   CPU's class does not depend on which CPUs the process may use.  So the
   processes of an MPI job, each of which may use some of the CPUs, give one
   class the same number.  CPUs are numbered as the kernel numbers them.
   Arguments out of range are no error: the answer is -1.  */

/* The number of classes of the machine, 1..64.  The process may have threads on
   fewer: see ompx_amp_get_cpu_usable.  */
extern int ompx_amp_get_num_classes (void);

/* The capacity of the cores of class CLS, 1..1024, 1024 being the fastest
   cores of the machine; 0 = not known, only the order of the classes is.  */
extern int ompx_amp_get_class_capacity (int cls);

/* Where the classes came from, such as "cpu_capacity" or "GOMP_AMP_TOPOLOGY";
   "none" if from nowhere.  Never NULL; the caller does not free it.  */
extern const char *ompx_amp_get_topology_source (void);

/* CPUs are numbered below this.  */
extern int ompx_amp_get_num_cpus (void);

/* The class of CPU, whether the process may use it or not; 0 also for a CPU of
   which the source says nothing, as may happen while it is offline.  */
extern int ompx_amp_get_cpu_class (int cpu);

/* 1 if the process may use CPU, else 0: by the affinity masks (taskset, cgroups,
   the binding of an MPI rank) that its threads have, or by the mask that it
   started with if OpenMP binds threads to places (OMP_PROC_BIND, OMP_PLACES,
   GOMP_AMP_AFFINITY).  A change of the calling thread's mask shows after some
   milliseconds, one of other threads' masks alone within a second.  */
extern int ompx_amp_get_cpu_usable (int cpu);

/* 1 if CPU is online, 0 if it is switched off; -1 also if the kernel knows no
   such CPU.  Read anew by each call, for CPUs that are not usable.  */
extern int ompx_amp_get_cpu_online (int cpu);

/* The lowest-numbered CPU of the physical core that CPU belongs to, so that
   CPUs of one core give the same answer; -1 also if that is not known.  */
extern int ompx_amp_get_cpu_core (int cpu);

/* The class of the CPU that the calling thread is on: a moment later, unless
   it is bound, it may be on another.  */
extern int ompx_amp_get_thread_class (void);

/* What a loop that amp-gcc routed to the library would run as in the current
   team, with GOMP_AMP_SCHEDULE, which comes first, omp_set_schedule and
   OMP_SCHEDULE considered: its *KIND, an
   omp_sched_t or ompx_amp_sched_t without omp_sched_monotonic; its *CHUNK, 0
   being the schedule's default; and *ARG, the percent of aid_hybrid or the M of
   aid_dynamic, 0 if there is none or if it is found by measurement.  Each may
   be NULL.  */
extern void ompx_amp_get_routed_schedule (int *kind, int *chunk, int *arg);

#ifdef __cplusplus
}
#endif

#endif /* OMPX_AMP_H */
