/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libamp-yield.so, which amp-run preloads into programs whose teams it folds. Never a part of
   libgomp.so.1, since it replaces functions of the C library.

   sched_yield lets another thread of the folded thread's core run, for programs whose threads wait
   for each other by yielding: the watching thread would find that after 40 ms or more.

   A thread of a folded team is bound to a core. Threads and processes that it starts, and what it
   executes, would have that one core: it lets go of it meanwhile. What the initial thread sets as
   its mask stays. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

/* libgomp-amp's. Null in a process that has another libgomp, or none. */
extern int gomp_amp_loosen(void) __attribute__((weak));
extern void gomp_amp_fasten(int loosened) __attribute__((weak));
extern void gomp_amp_mask_is_set(void) __attribute__((weak));
extern int gomp_amp_yield(void) __attribute__((weak)); /* whether another thread ran */

#define EXPORTED __attribute__((visibility("default")))

static int loosen(void) {
  const int error = errno;
  const int loosened = gomp_amp_loosen ? gomp_amp_loosen() : 0;
  errno = error;
  return loosened;
}

static void fasten(int loosened) {
  const int error = errno;
  if (loosened != 0)
    gomp_amp_fasten(loosened);
  errno = error;
}

/* The C library's functions, found when the library is loaded: a child of vfork and a signal
   handler must not search. */
#define WRAPPED                                                                                    \
  X(int, pthread_create, (pthread_t * t, const pthread_attr_t *a, void *(*f)(void *), void *d),    \
    (t, a, f, d))                                                                                  \
  X(int, thrd_create, (thrd_t * t, thrd_start_t f, void *d), (t, f, d))                            \
  X(int, posix_spawn,                                                                              \
    (pid_t * p, const char *n, const posix_spawn_file_actions_t *f, const posix_spawnattr_t *s,    \
     char *const a[], char *const e[]),                                                            \
    (p, n, f, s, a, e))                                                                            \
  X(int, posix_spawnp,                                                                             \
    (pid_t * p, const char *n, const posix_spawn_file_actions_t *f, const posix_spawnattr_t *s,    \
     char *const a[], char *const e[]),                                                            \
    (p, n, f, s, a, e))                                                                            \
  X(int, system, (const char *command), (command))                                                 \
  X(FILE *, popen, (const char *command, const char *mode), (command, mode))                       \
  X(int, execve, (const char *n, char *const a[], char *const e[]), (n, a, e))                     \
  X(int, execv, (const char *n, char *const a[]), (n, a))                                          \
  X(int, execvp, (const char *n, char *const a[]), (n, a))                                         \
  X(int, execvpe, (const char *n, char *const a[], char *const e[]), (n, a, e))                    \
  X(int, fexecve, (int f, char *const a[], char *const e[]), (f, a, e))                            \
  X(int, execveat, (int d, const char *n, char *const a[], char *const e[], int f),                \
    (d, n, a, e, f))

#define X(type, name, parameters, arguments) static type(*real_##name) parameters;
WRAPPED
#undef X
static int (*real_sched_setaffinity)(pid_t, size_t, const cpu_set_t *);
static int (*real_pthread_setaffinity_np)(pthread_t, size_t, const cpu_set_t *);

static void find(void) {
#define X(type, name, parameters, arguments)                                                       \
  *(void **)&real_##name = dlsym(RTLD_NEXT, #name);
  WRAPPED
#undef X
  *(void **)&real_sched_setaffinity = dlsym(RTLD_NEXT, "sched_setaffinity");
  *(void **)&real_pthread_setaffinity_np = dlsym(RTLD_NEXT, "pthread_setaffinity_np");
}

/* Other libraries' constructors may come first. */
__attribute__((constructor)) static void find_all(void) {
  if (!real_pthread_setaffinity_np)
    find();
}

#define X(type, name, parameters, arguments)                                                       \
  EXPORTED type name parameters {                                                                  \
    find_all();                                                                                    \
    const int loosened = loosen();                                                                 \
    type result = real_##name arguments;                                                           \
    fasten(loosened);                                                                              \
    return result;                                                                                 \
  }
WRAPPED
#undef X

/* ARGUMENTS: those from FIRST on, up to a null pointer. LIST is behind that. */
#define LIST(first)                                                                                \
  va_list list;                                                                                    \
  size_t count = 1;                                                                                \
  va_start(list, first);                                                                           \
  while (va_arg(list, char *))                                                                     \
    count++;                                                                                       \
  va_end(list);                                                                                    \
  char *arguments[count + 1];                                                                      \
  va_start(list, first);                                                                           \
  arguments[0] = (char *)first;                                                                    \
  for (size_t i = 1; i <= count; i++)                                                              \
    arguments[i] = va_arg(list, char *)

EXPORTED int execl(const char *name, const char *first, ...) {
  LIST(first);
  va_end(list);
  return execv(name, arguments);
}

EXPORTED int execlp(const char *name, const char *first, ...) {
  LIST(first);
  va_end(list);
  return execvp(name, arguments);
}

EXPORTED int execle(const char *name, const char *first, ...) {
  LIST(first);
  char *const *environment = va_arg(list, char *const *);
  va_end(list);
  return execve(name, arguments, environment);
}

static int note_mask(int result, int own) {
  const int error = errno;
  if (result == 0 && own && gomp_amp_mask_is_set)
    gomp_amp_mask_is_set();
  errno = error;
  return result;
}

EXPORTED int sched_setaffinity(pid_t thread, size_t size, const cpu_set_t *set) {
  find_all();
  return note_mask(real_sched_setaffinity(thread, size, set),
                   thread == 0 || thread == (pid_t)syscall(SYS_gettid));
}

EXPORTED int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set) {
  find_all();
  return note_mask(real_pthread_setaffinity_np(thread, size, set),
                   pthread_equal(thread, pthread_self()));
}

EXPORTED int sched_yield(void) {
  const int error = errno;
  const int yielded = gomp_amp_yield && gomp_amp_yield();
  errno = error;
  return yielded ? 0 : (int)syscall(SYS_sched_yield);
}
