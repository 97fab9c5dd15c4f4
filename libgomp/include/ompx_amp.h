/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The extensions of libgomp-amp to the OpenMP API: schedule kinds for
   omp_set_schedule, and the library's version.  */

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

#ifdef __cplusplus
}
#endif

#endif /* OMPX_AMP_H */
