// SPDX-License-Identifier: GPL-3.0-or-later
// A module of identity.cc: a thread-local variable, and a region that calls what it is given. With
// KERNEL it imports what speaks of the kernel's threads, so that its ids are not carried.
#include <omp.h>

#ifdef KERNEL
#include <csignal>
#include <unistd.h>
#endif

extern "C" {

int *plugin_variable() {
  static thread_local int variable;
  return &variable;
}

void plugin_run(void (*function)(int)) {
#pragma omp parallel
  {
#pragma omp barrier
    function(omp_get_thread_num());
  }
}

#ifdef KERNEL
// All threads but the initial one change what the kernel keeps of a thread.
int plugin_change() {
  int failed = 0;
#pragma omp parallel reduction(+ : failed)
  {
#pragma omp barrier
    if (omp_get_thread_num() != 0) {
      sigset_t set;
      sigemptyset(&set);
      sigaddset(&set, SIGUSR2);
      failed += pthread_sigmask(SIG_BLOCK, &set, nullptr) != 0 || nice(1) < 0;
    }
#pragma omp barrier
  }
  return failed;
}
#endif
}
