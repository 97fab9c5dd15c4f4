// SPDX-License-Identifier: GPL-3.0-or-later
// Changes the affinity masks of all threads of a process.
#pragma once

#include <dirent.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace life {

// Bind every thread of PROCESS but BUT to SET; one that has ended meanwhile does not matter.
inline void bind_all(pid_t process, const cpu_set_t &set, pid_t but = 0) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/task", int(process));
  DIR *tasks = opendir(path);
  if (!tasks)
    _exit(1);
  while (dirent *task = readdir(tasks))
    if (int id = std::atoi(task->d_name); id != 0 && id != but)
      syscall(SYS_sched_setaffinity, id, sizeof set, &set);
  closedir(tasks);
}

} // namespace life
