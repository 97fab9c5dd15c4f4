/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* A real thread that sees to it that no thread holds the baton for too long:
   one that waits for another by spinning, or in the kernel, would wait for
   ever.  */

#define _GNU_SOURCE 1
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include "libgomp.h"
#include "baton.h"

static void *
watch (void *data __attribute__ ((unused)))
{
  for (;;)
    {
      unsigned ms = gomp_virtual_look ();
      struct timespec pause = { ms / 1000, ms % 1000 * 1000000L };

      if (ms == 0)
	gomp_virtual_idle ();
      else
	nanosleep (&pause, NULL);
    }
  return NULL;
}

void
gomp_virtual_start_monitor (void)
{
  sigset_t all, old;
  pthread_attr_t attr;
  pthread_t thread;

  /* The program's signals are for the program's threads.  */
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &old);
  pthread_attr_init (&attr);
  pthread_attr_setdetachstate (&attr, PTHREAD_CREATE_DETACHED);
  /* In parentheses: it is none of virtual time's threads.  */
  if ((pthread_create) (&thread, &attr, watch, NULL) != 0)
    gomp_error ("virtual time: no thread to watch the others; a program that"
		" waits for another thread by spinning will not end");
  pthread_attr_destroy (&attr);
  pthread_sigmask (SIG_SETMASK, &old, NULL);
}
