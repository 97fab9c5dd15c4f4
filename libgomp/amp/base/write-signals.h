/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* Writing without a signal.  */

#ifndef GOMP_AMP_WRITE_SIGNALS_H
#define GOMP_AMP_WRITE_SIGNALS_H 1

#include <signal.h>

#pragma GCC visibility push(hidden)

struct gomp_amp_signals
{
  sigset_t ours, before;
};

/* Hold back the signals of a failed write in the calling thread, SIGPIPE and
   SIGXFSZ, and then forget those that have come since.  */
extern void gomp_amp_hold_signals (struct gomp_amp_signals *signals);
extern void gomp_amp_drop_signals (const struct gomp_amp_signals *signals);

#pragma GCC visibility pop

#endif /* GOMP_AMP_WRITE_SIGNALS_H */
