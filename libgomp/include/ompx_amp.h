/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The extensions of libgomp-amp to the OpenMP API: schedule kinds for
   omp_set_schedule, the library's version, what the library knows about the
   machine, and where the threads of a folded team run.

   An AMP, asymmetric multicore processor, has cores of different speeds.  AID,
   asymmetric iteration distribution, is a group of loop schedules for AMPs: a
   thread gets iterations in proportion to the speed of its core.  SF is the
   speedup factor of a core class for a loop: the time of an iteration on the
   slowest class of the team divided by the time on this class.  BS and SB are
   values of GOMP_AMP_AFFINITY: BS (big to small) binds threads to the fastest
   cores first, SB (small to big) to the slowest.  */

#ifndef OMPX_AMP_H
#define OMPX_AMP_H 1

#ifdef __cplusplus
extern "C" {
#endif

/* Schedule kinds of loops with schedule(runtime).  Cast one to omp_sched_t:

     omp_set_schedule ((omp_sched_t) ompx_amp_sched_aid_hybrid, chunk);

   A chunk less than 1 means the schedule's default.  omp_get_schedule returns
   the same numbers.  Another libgomp knows none of these kinds: see
   ompx_amp_version.  */
typedef enum ompx_amp_sched_t
{
  ompx_amp_sched_aid_static = 0x40000001,
  ompx_amp_sched_aid_hybrid = 0x40000002,
  ompx_amp_sched_aid_dynamic = 0x40000003
} ompx_amp_sched_t;

/* The library's version, 10000 * major + 100 * minor + patch.  A stock libgomp
   lacks this symbol; a program that declares it weak can distinguish the
   two.  */
extern int ompx_amp_version (void);

/* The core classes that the library has found.  `amp-info' prints the results
   of these functions.  Any thread may call each of them at any time.

   A core class is a set of cores of about equal speed.  Classes belong to the
   machine: they are numbered from 0, the slowest, over all of its CPUs.  A
   CPU's class does not depend on the CPUs that the process may use, so all
   processes of an MPI job give a class the same number.  CPUs have the
   kernel's numbers.  An argument out of range is no error; the result is
   -1.  */

/* The number of classes of the machine, 1..64.  The process's threads may be
   on fewer classes: see ompx_amp_get_cpu_usable.  */
extern int ompx_amp_get_num_classes (void);

/* The capacity of the cores of class CLS, 1..1024.  The fastest cores of the
   machine have 1024.  0 = unknown; only the order of the classes is known.  */
extern int ompx_amp_get_class_capacity (int cls);

/* Where the classes came from, for example "cpu_capacity" or
   "GOMP_AMP_TOPOLOGY"; "none" if no source knows them.  Never NULL.  The
   caller does not free it.  */
extern const char *ompx_amp_get_topology_source (void);

/* All CPU numbers are less than this.  */
extern int ompx_amp_get_num_cpus (void);

/* The class of CPU, whether the process may use it or not.  Also 0 for a CPU
   that the source does not know, which may happen while it is offline.  */
extern int ompx_amp_get_cpu_class (int cpu);

/* 1 if the process may use CPU, else 0.  The affinity masks of its threads
   decide (taskset, cgroups, the binding of an MPI rank).  If OpenMP binds
   threads to places (OMP_PROC_BIND, OMP_PLACES, GOMP_AMP_AFFINITY), the mask
   at the start of the process decides.  A change of the calling thread's mask
   takes effect after some milliseconds, a change of other threads' masks alone
   within a second.  */
extern int ompx_amp_get_cpu_usable (int cpu);

/* 1 if CPU is online, 0 if it is offline; -1 also if the kernel knows no such
   CPU.  Each call reads it again for a CPU that is not usable.  */
extern int ompx_amp_get_cpu_online (int cpu);

/* The lowest-numbered CPU of CPU's physical core, so that all CPUs of a core
   have the same result; -1 also if unknown.  */
extern int ompx_amp_get_cpu_core (int cpu);

/* The class of the CPU that the calling thread is on.  Unless it is bound, the
   thread may move to another CPU at any moment.  */
extern int ompx_amp_get_thread_class (void);

/* For programs that share work out by hand: the part of an equal share that the
   calling thread should take, the capacity of its place divided by the mean of
   the team's.  The team's add up to its number of threads.  1 where threads
   have no place of their own (OMP_PROC_BIND, GOMP_AMP_AFFINITY), where
   capacities are equal or unknown, in a folded team, which is balanced by its
   threads, and outside of parallel regions.  */
extern double ompx_amp_get_share (void);

/* The schedule of a loop that amp-gcc routed to the library, in the current
   team.  GOMP_AMP_SCHEDULE takes precedence over omp_set_schedule and
   OMP_SCHEDULE.  *KIND is an omp_sched_t or ompx_amp_sched_t without
   omp_sched_monotonic.  *CHUNK is the chunk; 0 = the schedule's default.  *ARG
   is the percent of aid_hybrid or the M of aid_dynamic; 0 = none, or found by
   measurement.  Each pointer may be NULL.  */
extern void ompx_amp_get_routed_schedule (int *kind, int *chunk, int *arg);

/* Folded teams (GOMP_AMP_FOLD): an outermost team may have more threads than
   there are cores.  Each core is a worker, which runs some of the threads, one
   at a time; a fast core has more of them.  These functions answer for the
   innermost team that the calling thread is in.  Only an outermost team can be
   folded.  One that runs unfolded is not folded for them, whatever
   GOMP_AMP_FOLD says, and nothing is outside of parallel regions.  */

/* The number of workers that run the current team; 0 = it is not folded.  */
extern int ompx_amp_get_num_workers (void);

/* The worker that runs the calling thread, from 0 to
   ompx_amp_get_num_workers () - 1; -1 = the team is not folded.  All threads
   of the team with the same result run one at a time.  */
extern int ompx_amp_get_worker_num (void);

#ifdef __cplusplus
}
#endif

#endif /* OMPX_AMP_H */
