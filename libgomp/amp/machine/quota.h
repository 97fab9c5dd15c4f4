/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The CPU quota of the process: how much CPU time its cgroups leave it,
   whatever CPUs its mask has.  A team that has more threads than that runs
   until the quota of a period is used up, and then all of them stand still.  */

#ifndef GOMP_AMP_QUOTA_H
#define GOMP_AMP_QUOTA_H 1

#pragma GCC visibility push(hidden)

/* In thousandths of a CPU.  */
#define GOMP_AMP_NO_QUOTA (~0U)

/* The quota now, by the files of /sys, or of the directory that
   GOMP_AMP_TOPOLOGY names, whose fs/cgroup/self stands for /proc/self/cgroup
   then.  GOMP_AMP_NO_QUOTA if there is none.  Reads some files.  */
extern unsigned gomp_amp_quota (void);

/* How many CPUs are of use with QUOTA, rounded up; ~0U if it is none.  1 if it
   is below 1.5: of two CPUs each would stand still for more than a quarter of
   the time, both at once.  */
extern unsigned gomp_amp_quota_cpus (unsigned quota);

/* gomp_amp_quota by the files below ROOT, which stands for /sys, and GROUPS,
   the text of /proc/self/cgroup.  */
extern unsigned gomp_amp_quota_of (const char *root, const char *groups);

#pragma GCC visibility pop

#endif /* GOMP_AMP_QUOTA_H */
