/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Counts the locks that a thread holds.  */

#include "base/task-locks.h"

bool gomp_amp_locks_on;
__thread unsigned gomp_amp_locks_held;
