/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Upstream's mutexes, on our way of waiting.  */

#ifndef _GNU_SOURCE
# define _GNU_SOURCE 1
#endif
/* Before upstream's file finds the one that lies beside it.  */
#include "wait.h"
#include "config/linux/mutex.c"
