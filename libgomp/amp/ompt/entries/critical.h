/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* OMPT: the locks of critical.c.  */

#define gomp_mutex_lock(lock) gomp_ompt_lock ((lock), ompt_mutex_critical)
#define gomp_mutex_unlock(lock) gomp_ompt_unlock ((lock), ompt_mutex_critical)
