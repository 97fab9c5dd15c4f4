/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Kernel threads that pick up ids, and park on stacks of their own.  */

#define _GNU_SOURCE 1
#include "fold/fold-park.h"
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>
#include "fold/fold-carry.h"
#include "fold/fold-context.h"
#include "fold/fold-kernel.h"

#if GOMP_FOLD_CONTEXTS

/* What parking itself takes of a stack, and the frame of the one signal that
   the C library does not let anybody block.  */
#define ROOM 8192

#ifndef AT_MINSIGSTKSZ
# define AT_MINSIGSTKSZ 51
#endif

static size_t
room_size (void)
{
  size_t frame = getauxval (AT_MINSIGSTKSZ), page = getauxval (AT_PAGESZ);

  return (ROOM + (frame != 0 ? frame : 4096) * 2 + page - 1) & -page;
}

/* What a parked kernel thread does.  Its own id may run elsewhere: no
   thread-local variable may be touched here, and that means no errno.  No
   sanitizer knows this stack.  */

static void __attribute__ ((no_sanitize ("address", "thread", "undefined")))
stay_parked (void *arg)
{
  struct gomp_fold_carrier *c = arg;

  for (;;)
    {
      struct gomp_fold_id *id;

      gomp_fold_picked_up (c);
      id = gomp_fold_park (c);
      while (id == NULL)
	{
	  id = gomp_fold_take_given (c);
	  if (id == NULL)
	    gomp_fold_sleep_parked (&c->word);
	}
      id->on = c;
      __atomic_store_n (&c->run, id, __ATOMIC_RELAXED);
      gomp_fold_switch (&c->context, id->context);
    }
}

bool
gomp_fold_make_room (struct gomp_fold_carrier *c)
{
  void *stack = mmap (NULL, room_size (), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);

  c->stack = stack != MAP_FAILED ? stack : NULL;
  if (c->stack != NULL)
    c->context = gomp_fold_make_context (c->stack, room_size (), stay_parked,
					 c);
  return c->stack != NULL;
}

void
gomp_fold_free_room (struct gomp_fold_carrier *c)
{
  if (c->stack != NULL)
    munmap (c->stack, room_size ());
  c->stack = NULL;
}

void
gomp_fold_change (struct gomp_fold_id *from, struct gomp_fold_id *to,
		  struct gomp_fold_carrier *c __attribute__ ((unused)))
{
  unsigned flags = gomp_fold_save_flags ();

  gomp_fold_switch (&from->context, to->context);
  gomp_fold_restore_flags (flags);
}

void
gomp_fold_leave (struct gomp_fold_id *from, struct gomp_fold_carrier *c)
{
  unsigned flags = gomp_fold_save_flags ();

  gomp_fold_switch (&from->context, c->context);
  gomp_fold_restore_flags (flags);
}

void __attribute__ ((no_sanitize ("thread")))
gomp_fold_wake_carrier (struct gomp_fold_carrier *c)
{
  gomp_fold_wake (&c->word);
}

void
gomp_fold_block_signals (struct gomp_fold_carrier *c)
{
  sigset_t all;

  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &c->mask);
  c->masked = true;
}

void
gomp_fold_unblock_signals (struct gomp_fold_carrier *c)
{
  c->masked = false;
  pthread_sigmask (SIG_SETMASK, &c->mask, NULL);
}

#endif
