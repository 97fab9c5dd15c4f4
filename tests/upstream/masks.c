// SPDX-License-Identifier: GPL-3.0-or-later
// Preloaded into a program: another process gives all threads of the program its first CPU, and 50
// ms later all of them again, as `taskset -ap` does, until the program has ended.
#define _GNU_SOURCE 1
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void give(const char *tasks, const cpu_set_t *mask) {
  DIR *const directory = opendir(tasks);
  if (directory == NULL)
    return;
  for (const struct dirent *entry; (entry = readdir(directory)) != NULL;)
    if (atoi(entry->d_name) != 0)
      sched_setaffinity(atoi(entry->d_name), sizeof *mask, mask);
  closedir(directory);
}

static void change_masks(pid_t program) {
  char tasks[64];
  cpu_set_t all, one;
  int first = 0;
  snprintf(tasks, sizeof tasks, "/proc/%d/task", (int)program);
  sched_getaffinity(0, sizeof all, &all);
  while (!CPU_ISSET(first, &all))
    first++;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  for (int few = 1; kill(program, 0) == 0; few = !few) {
    give(tasks, few ? &one : &all);
    usleep(50000);
  }
}

// The process is no child of the program, which may wait for its children, and holds none of the
// files open whose end others wait for.
__attribute__((constructor)) static void start(void) {
  const pid_t program = getpid();
  const pid_t child = fork();
  if (child > 0)
    waitpid(child, NULL, 0);
  if (child != 0)
    return;
  if (fork() == 0) {
    setsid();
    for (int file = 0; file < 256; file++)
      close(file);
    change_masks(program);
  }
  _exit(0);
}
