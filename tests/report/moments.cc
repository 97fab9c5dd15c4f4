// SPDX-License-Identifier: GPL-3.0-or-later
// What may happen to a program with a report: forks, exits in regions, signals, unloaded modules,
// very many regions, another locale. moments <what> [<argument>...]
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace {

[[gnu::noinline]] long region(long n) {
  long count = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : count)
  for (long i = 0; i < n; i++)
    count++;
  return count;
}

// In a thread of its own, since the child of a fork has none of its parent's team.
void region_in_thread(long n) {
  pthread_t thread;
  pthread_create(
      &thread, nullptr,
      [](void *trips) -> void * {
        region(*static_cast<long *>(trips));
        return nullptr;
      },
      &n);
  pthread_join(thread, nullptr);
}

int forks() {
  region(100);
  const pid_t child = fork();
  if (child == 0) {
    region_in_thread(7);
    std::exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  region(10);
  std::printf("%d\n", child);
  return status;
}

// One that uses no OpenMP, and one that ends without running handlers.
int idle_forks() {
  region(100);
  for (int i = 0; i < 2; i++) {
    const pid_t child = fork();
    if (child == 0) {
      if (i == 0)
        std::exit(0);
      region_in_thread(7);
      _exit(0);
    }
    waitpid(child, nullptr, 0);
  }
  return 0;
}

int exits() {
  region(100);
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 1)
    for (int i = 0; i < 50; i++)
      ;
#pragma omp single
    std::exit(0);
  }
  return 1;
}

// The report is there when the region after the signal has ended.
int signals(const char *file) {
  region(100);
  if (access(file, F_OK) == 0)
    return 1;
  raise(SIGUSR1);
  region(100);
  if (access(file, F_OK) != 0)
    return 2;
  region(100);
  return 0;
}

// A thread that is to be cancelled at the next function that allows it writes first.
int cancelled() {
  static bool wrote;
  pthread_t thread;
  pthread_create(
      &thread, nullptr,
      [](void *) -> void * {
        region(100);
        raise(SIGUSR1);
        pthread_cancel(pthread_self());
        region(100);
        wrote = true;
        pthread_testcancel();
        return nullptr;
      },
      nullptr);
  void *result;
  pthread_join(thread, &result);
  region(100);
  return wrote && result == PTHREAD_CANCELED ? 0 : 1;
}

// As daemons do that trust nothing in it.
int clears() {
  clearenv();
  region(100);
  return 0;
}

volatile std::sig_atomic_t caught;

int own_handler(const char *file) {
  std::signal(SIGUSR1, [](int) { caught = 1; });
  raise(SIGUSR1);
  region(100);
  return caught && access(file, F_OK) != 0 ? 0 : 1;
}

int plugins(int count, char **names) {
  long all = 0;
  for (int round = 0; round < 3; round++)
    for (int i = 0; i < count; i++) {
      void *const module = dlopen(names[i], RTLD_NOW);
      if (!module)
        return 1;
      all += reinterpret_cast<long (*)(long)>(dlsym(module, "run"))(100 + i);
      dlclose(module);
    }
  std::printf("%ld\n", all);
  return 0;
}

template <int Number> [[gnu::noinline]] long one() {
  long count = 0;
#pragma omp parallel for schedule(runtime) num_threads(2) reduction(+ : count)
  for (long i = 0; i < 3 + Number % 2; i++)
    count++;
  return count;
}

template <int... Numbers> long all(std::integer_sequence<int, Numbers...>) {
  return (one<Numbers>() + ...);
}

// A region of which one id forks. The child runs inner regions in it, and ends there.
int forks_inside() {
  pid_t child = -1;
  omp_set_max_active_levels(2);
  // The first one makes threads.
  region(10);
  for (const bool forks : {false, true}) {
#pragma omp parallel num_threads(3)
    if (forks && omp_get_thread_num() == 1) {
      child = fork();
      if (child == 0) {
        alarm(900);
        for (int i = 0; i < 5; i++)
          region(10);
        std::exit(0);
      }
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("%d\n", child);
  return status;
}

[[gnu::noinline]] void loop_outside() {
#pragma omp for schedule(dynamic, 1)
  for (int i = 0; i < 3; i++)
    ;
}

// Threads that run a loop and start no team.
int strangers(int count) {
  for (int i = 0; i < count; i++) {
    pthread_t thread;
    pthread_create(
        &thread, nullptr,
        [](void *) -> void * {
          loop_outside();
          return nullptr;
        },
        nullptr);
    pthread_join(thread, nullptr);
  }
  return 0;
}

int foreign_numbers(const char *locale) {
  region(100);
  return std::setlocale(LC_ALL, locale) && *std::localeconv()->decimal_point == ',' ? 0 : 1;
}

// More regions and loops than the report has records for.
int many() {
  std::printf("%ld\n", all(std::make_integer_sequence<int, 1200>()));
  return 0;
}

// Threads that start teams, and end.
int threads(int count) {
  for (int i = 0; i < count; i++)
    region_in_thread(10);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  const char *const what = argv[1];
  const auto is = [what](const char *name) { return std::strcmp(what, name) == 0; };
  if (is("forks"))
    return forks();
  if (is("idle-forks"))
    return idle_forks();
  if (is("exits"))
    return exits();
  if (is("signals"))
    return signals(argv[2]);
  if (is("cancelled"))
    return cancelled();
  if (is("clears"))
    return clears();
  if (is("own-handler"))
    return own_handler(argv[2]);
  if (is("plugins"))
    return plugins(argc - 2, argv + 2);
  if (is("forks-inside"))
    return forks_inside();
  if (is("strangers"))
    return strangers(std::atoi(argv[2]));
  if (is("foreign-numbers"))
    return foreign_numbers(argv[2]);
  if (is("many"))
    return many();
  if (is("threads"))
    return threads(argc > 2 ? std::atoi(argv[2]) : 20);
  return is("nothing") ? 0 : 2;
}
