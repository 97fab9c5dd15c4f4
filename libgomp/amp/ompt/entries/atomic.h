/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* OMPT: the lock of atomic.c.  */

#define gomp_mutex_lock(lock) gomp_ompt_lock ((lock), ompt_mutex_atomic)
#define gomp_mutex_unlock(lock) gomp_ompt_unlock ((lock), ompt_mutex_atomic)
