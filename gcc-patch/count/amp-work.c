/* SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1 */
/* The counter of work, which amp-gcc --amp-count links to programs and to
   shared libraries.  In a process the first definition is everybody's: that of
   the program, which exports it.  */

/* The units of work that the thread has done.  */
__attribute__ ((weak, tls_model ("initial-exec")))
__thread unsigned long long amp_work;

/* What amp_work_meet calls: the lab's library sets it.  Its arguments are those
   of amp_work_meet, and where that was called.  */
__attribute__ ((weak)) void (*amp_work_hook) (int, const void *);

/* The thread is about to access memory by which it may communicate with others.
   MAY_WAIT: it looks for what another one did, possibly again and again.  */

__attribute__ ((weak)) void
amp_work_meet (int may_wait)
{
  if (amp_work_hook)
    amp_work_hook (may_wait, __builtin_return_address (0));
}
