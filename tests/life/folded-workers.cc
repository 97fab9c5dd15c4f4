// SPDX-License-Identifier: GPL-3.0-or-later
// Which threads of a folded team share a CPU, and how many there are, by GOMP_AMP_FOLD and the
// variables that limit the number of threads.
//
// usage: life-folded-workers THREADS CPUS [SIZE]
//          THREADS is what omp_get_max_threads returns. CPUS has a letter for each thread of a team
//          but the first one: A for the first CPU's worker, B for the second's, - for a thread that
//          is not folded; none if that is alone. Carriers are bound, but for the initial thread.
//          SIZE is that of a team for which the program asks after one of THREADS.
#include "life.h"

#include <unistd.h>

#include <string>

static int first_cpu;

// The program sees two CPUs, whatever the machine has: a library looks at its mask when it is
// loaded.
static void use_two_cpus(char **argv) {
  cpu_set_t set, two;
  life::check(sched_getaffinity(0, sizeof set, &set) == 0, "no mask");
  while (!CPU_ISSET(first_cpu, &set))
    first_cpu++;
  if (CPU_COUNT(&set) == 2)
    return;
  if (CPU_COUNT(&set) < 2)
    life::skip("there is one CPU");
  CPU_ZERO(&two);
  for (int cpu = first_cpu; CPU_COUNT(&two) < 2; cpu++)
    if (CPU_ISSET(cpu, &set))
      CPU_SET(cpu, &two);
  life::check(life::set_mask(two) == 0, "the mask cannot be set");
  execv("/proc/self/exe", argv);
  life::check(false, "the program cannot run itself");
}

// By the worker that the thread is dealt to, of which each CPU has one in turn: another one's
// carrier may run it for once.
static char cpu_of_thread() {
  cpu_set_t mask;
  const int worker = ompx_amp_get_worker_num();
  if (worker < 0)
    return '-';
  life::check(sched_getaffinity(0, sizeof mask, &mask) == 0 &&
                  (CPU_COUNT(&mask) == 1 || syscall(SYS_gettid) == getpid()),
              "a carrier is not bound");
  return char('A' + worker % 2);
}

// The CPUs of a team's threads.
static std::string cpus_of_team(int size) {
  std::string cpus;
#pragma omp parallel num_threads(size)
  {
    // A thread is bound when it has waited.
#pragma omp barrier
#pragma omp for ordered schedule(static, 1)
    for (int id = 0; id < omp_get_num_threads(); id++) {
#pragma omp ordered
      if (id != 0)
        cpus += cpu_of_thread();
    }
  }
  return cpus.empty() ? "none" : cpus;
}

int main(int argc, char **argv) {
  life::ours();
  life::check(argc == 3 || argc == 4, "usage: life-folded-workers THREADS CPUS [SIZE]");
  use_two_cpus(argv);
  const int most = omp_get_max_threads();
  life::check(most == std::atoi(argv[1]), "omp_get_max_threads () is %d, not %s", most, argv[1]);
  std::string cpus = cpus_of_team(most);
  for (int time = 0; argc == 4 && time < 2; time++)
    cpus = cpus_of_team(std::atoi(argv[3]));
  life::check(cpus == argv[2], "the threads run on %s, not %s", cpus.c_str(), argv[2]);
  return 0;
}
