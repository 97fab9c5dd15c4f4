// SPDX-License-Identifier: GPL-3.0-or-later
// A second process that does something to this one, again and again, while it runs loops.
#pragma once

#include <csignal>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "life.h"

namespace life {

// Call WORK in this process until TIMES calls of TORMENT (pid of this process) in the other have
// been made. To be called before the first team.
template <typename Torment, typename Work> void torment(int times, Torment torment, Work work) {
  const pid_t victim = getpid();
  std::fflush(nullptr);
  pid_t tormentor = fork();
  if (tormentor == 0) {
    // Not by the C library: a module that imports prctl has ids that are not carried.
    syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    for (int i = 0; i < times; i++) {
      usleep(2000 + 1000 * (i % 5));
      torment(victim, i);
    }
    _exit(0);
  }
  check(tormentor > 0, "fork");
  int status;
  while (waitpid(tormentor, &status, WNOHANG) == 0)
    work();
  check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the other process ended with %#x", status);
}

} // namespace life
