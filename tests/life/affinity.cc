// SPDX-License-Identifier: GPL-3.0-or-later
// Another process moves every thread from CPU to CPU, and so from class to class, in mid-run.
#include <sched.h>
#include <sys/mman.h>

#include "bind-all.h"
#include "tormentor.h"

// What the process started with: by now this thread may be bound to one place.
static cpu_set_t usable() {
  cpu_set_t all;
  sched_getaffinity(0, sizeof all, &all);
  if (!life::stock())
    for (int cpu = 0; cpu < ompx_amp_get_num_cpus(); cpu++)
      if (ompx_amp_get_cpu_usable(cpu) == 1)
        CPU_SET(cpu, &all);
  return all;
}

int main() {
  life::ours();
  const cpu_set_t all = usable();
  if (CPU_COUNT(&all) < 2)
    life::skip("this process may use one CPU only");

  static life::Loops<50000> loops;
  // In a child process, as this one has to have started no team yet.
  const pid_t child = fork();
  if (child == 0) {
    for (omp_sched_t kind : life::kKinds)
      loops.run(kind, 2);
    std::_Exit(0);
  }
  int status;
  life::check(waitpid(child, &status, 0) == child && status == 0, "the child ended with %d",
              status);
  // Where all threads are on one CPU the library knows that the cores of a team are alike.
  setenv("AMP_LIFE_ANY_KIND", "1", 1);
  // How many rounds of loops are done, for both processes.
  void *shared =
      mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  life::check(shared != MAP_FAILED, "mmap");
  int &done = *static_cast<int *>(shared);
  // Which CPUs a thread of the team was on after a loop.
  static bool seen[CPU_SETSIZE];
  life::torment(
      30,
      [&](pid_t victim, int i) {
        cpu_set_t set = all;
        // Every third time all CPUs, else one after the other.
        if (i % 3 != 2) {
          int cpu = -1;
          for (int nth = i % CPU_COUNT(&all); nth >= 0; nth--)
            do
              cpu++;
            while (!CPU_ISSET(cpu, &all));
          CPU_ZERO(&set);
          CPU_SET(cpu, &set);
        }
        life::bind_all(victim, set);
        // A round that began there has to end there, however seldom this process runs.
        const int enough = __atomic_load_n(&done, __ATOMIC_RELAXED) + 2;
        while (__atomic_load_n(&done, __ATOMIC_RELAXED) < enough)
          usleep(1000);
      },
      [&] {
        for (omp_sched_t kind : life::kKinds)
          loops.run(kind, 2 + done % 3);
        seen[sched_getcpu()] = true;
        __atomic_add_fetch(&done, 1, __ATOMIC_RELAXED);
      });
  int cpus = 0;
  for (bool one : seen)
    cpus += one;
  life::check(cpus >= 2, "the other process did not move this one");
  std::printf("%d rounds of loops on %d CPUs\n", done, cpus);
  return 0;
}
