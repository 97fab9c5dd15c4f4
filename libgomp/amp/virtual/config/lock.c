/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The lock routines of OpenMP: upstream's code, in which testing a lock is a
   meeting, too.  */

#ifndef _GNU_SOURCE
# define _GNU_SOURCE 1
#endif
/* Included first: upstream's file would find the wait.h beside it.  */
#include "wait.h"
#include "virtual/virtual.h"

#define __atomic_compare_exchange_n(...) \
  (gomp_virtual_meet (), __atomic_compare_exchange_n (__VA_ARGS__))
#include "config/linux/lock.c"
