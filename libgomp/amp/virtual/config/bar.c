/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Upstream's barriers with our wait.h.  */

#ifndef _GNU_SOURCE
# define _GNU_SOURCE 1
#endif
/* Included first: upstream's file would find the wait.h beside it.  */
#include "wait.h"
#include "config/linux/bar.c"
