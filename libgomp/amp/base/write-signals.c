/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Writing without a signal.  */

#define _GNU_SOURCE 1
#include "base/write-signals.h"
#include <errno.h>
#include <time.h>

void
gomp_amp_hold_signals (struct gomp_amp_signals *signals)
{
  sigset_t pending;

  sigemptyset (&signals->ours);
  sigpending (&pending);
  if (!sigismember (&pending, SIGPIPE))
    sigaddset (&signals->ours, SIGPIPE);
  if (!sigismember (&pending, SIGXFSZ))
    sigaddset (&signals->ours, SIGXFSZ);
  pthread_sigmask (SIG_BLOCK, &signals->ours, &signals->before);
}

void
gomp_amp_drop_signals (const struct gomp_amp_signals *signals)
{
  static const struct timespec none;
  int error = errno;

  while (sigtimedwait (&signals->ours, NULL, &none) > 0 || errno == EINTR)
    continue;
  pthread_sigmask (SIG_SETMASK, &signals->before, NULL);
  errno = error;
}
