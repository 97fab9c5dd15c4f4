/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* A real thread that ensures that no thread holds the baton for too long.
   Otherwise a thread that waits for another by spinning or in the kernel would
   wait forever.  */

#define _GNU_SOURCE 1
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "libgomp.h"
#include "baton.h"
#include "counted.h"

/* A thread is blocked if this many looks in a row find it asleep: one look may
   be chance.  */
#define ASLEEP_LOOKS 2

/* Whether THREAD sleeps, by the kernel's /proc.  Allocates no memory: the
   addresses of the program's must not depend on when the monitor looks.  */

bool
gomp_virtual_sleeps (const struct gomp_virtual_thread *thread)
{
  char name[64], text[256];
  const char *state;
  ssize_t length;
  int file;

  snprintf (name, sizeof name, "/proc/self/task/%d/stat", (int) thread->tid);
  file = open (name, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  length = read (file, text, sizeof text - 1);
  close (file);
  text[length > 0 ? length : 0] = '\0';
  /* The name before the state, in parentheses, may hold any character.  */
  state = strrchr (text, ')');
  if (state == NULL)
    return false;
  /* A page that is read from a disk (D) is no wait in counted time.  */
  return state[2] == 'S' || (state[2] == 'D' && !gomp_virtual_counted);
}

bool
gomp_virtual_blocked (struct gomp_virtual_thread *thread)
{
  if (thread->accounts != thread->seen_accounts
      || __atomic_load_n (&thread->in_lab, MEMMODEL_RELAXED)
      || gomp_virtual_advances (thread))
    {
      thread->seen_accounts = thread->accounts;
      thread->looks = 0;
      thread->sleeping = 0;
      return false;
    }
  thread->looks++;
  thread->sleeping = gomp_virtual_sleeps (thread) ? thread->sleeping + 1 : 0;
  return thread->sleeping >= ASLEEP_LOOKS;
}

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
  /* In parentheses, so that it is not the macro of events.h: the monitor is not
     a thread of virtual time.  */
  if ((pthread_create) (&thread, &attr, watch, NULL) != 0)
    gomp_error ("virtual time: no thread to watch the others; a program that"
		" waits for another thread by spinning will not end");
  pthread_attr_destroy (&attr);
  pthread_sigmask (SIG_SETMASK, &old, NULL);
}
