/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Where the lab's library, which runs in virtual time, wants to be told of what
   threads do; nothing in any other build.  */

#ifndef GOMP_AMP_LAB_H
#define GOMP_AMP_LAB_H 1

#ifdef GOMP_AMP_VIRTUAL
# include "virtual/virtual.h"
# define gomp_lab_init() gomp_virtual_init ()
/* The calling thread meets others otherwise than through a lock, a barrier or a
   semaphore.  */
# define gomp_lab_meet() gomp_virtual_meet ()
/* It is about to take iterations from POOL; it meets others by that.  */
# define gomp_lab_removal(pool) gomp_virtual_removal (pool)
/* The same where it has met them.  */
# define gomp_lab_remove(pool) gomp_virtual_remove (pool)
/* It runs iterations of a loop, or leaves its loop.  */
# define gomp_lab_enter_loop() gomp_virtual_enter_loop ()
# define gomp_lab_leave_loop() gomp_virtual_leave_loop ()
/* It is about to start a team.  */
# define gomp_lab_start_team() gomp_virtual_start_team ()
/* Before a thread is created.  */
# define pthread_create(thread, attr, start, data) \
  (gomp_virtual_create (), pthread_create (thread, attr, start, data))
#else
# define gomp_lab_init() ((void) 0)
# define gomp_lab_meet() ((void) 0)
# define gomp_lab_removal(pool) ((void) 0)
# define gomp_lab_remove(pool) ((void) 0)
# define gomp_lab_enter_loop() ((void) 0)
# define gomp_lab_leave_loop() ((void) 0)
# define gomp_lab_start_team() ((void) 0)
#endif

#endif /* GOMP_AMP_LAB_H */
