/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libamp-yield.so, which amp-run preloads into programs whose teams it folds (with children.c):
   sched_yield lets another thread of the folded thread's core run, for programs whose threads wait
   for each other by yielding: the watching thread would find that after 40 ms or more. Never a part
   of libgomp.so.1, since it replaces functions of the C library. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

/* libgomp-amp's, which is preloaded as well. Returns whether another thread ran. Null in a process
   that has another libgomp, or none. */
extern int gomp_amp_yield(void) __attribute__((weak));

__attribute__((visibility("default"))) int sched_yield(void) {
  const int error = errno;
  const int yielded = gomp_amp_yield && gomp_amp_yield();
  errno = error;
  return yielded ? 0 : (int)syscall(SYS_sched_yield);
}
