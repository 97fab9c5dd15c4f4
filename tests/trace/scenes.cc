// SPDX-License-Identifier: GPL-3.0-or-later
// What a trace may show, a function each. scenes <scene>...
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <omp.h>

namespace {

std::atomic<int> present;

#define SCENE [[gnu::noinline]] void

// Threads that do nothing.
SCENE plain() {
#pragma omp parallel
  present++;
}

// Threads that meet twice.
SCENE barriers() {
#pragma omp parallel
  {
    present++;
#pragma omp barrier
    present++;
#pragma omp barrier
    present++;
  }
}

// A loop that the threads share, with a lock in it.
SCENE loop() {
  long sum = 0;
#pragma omp parallel for schedule(dynamic, 3)
  for (int i = 0; i < 1000; i++) {
#pragma omp critical
    sum += i;
  }
  if (sum != 499500)
    std::abort();
}

// The number of iterations suffices for samples.
SCENE sampled() {
  long sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
  for (int i = 0; i < 20000; i++) {
    asm volatile("" ::: "memory");
    sum += i;
  }
  if (sum != 199990000)
    std::abort();
}

// Each thread has a sample, since none begins before all are there, and the loop takes long enough
// for them.
SCENE factors() {
  present = 0;
#pragma omp parallel
  {
    bool first = true;
#pragma omp for schedule(runtime)
    for (int i = 0; i < 20000; i++) {
      if (first)
        for (present++; present < omp_get_num_threads();)
          ;
      first = false;
      for (int j = 0; j < 5000; j++)
        asm volatile("" ::: "memory");
    }
  }
}

// Thread 0 waits in memory until all others have run, those of its core too.
SCENE spins() {
  present = 0;
#pragma omp parallel
  {
    if (omp_get_thread_num() != 0)
      present++;
    else
      while (present != omp_get_num_threads() - 1)
        ;
  }
}

SCENE nested() {
#pragma omp parallel num_threads(2)
  {
#pragma omp parallel num_threads(3)
    present++;
  }
}

// They run in the barrier at the end.
SCENE tasks() {
  int done = 0;
#pragma omp parallel
#pragma omp single nowait
  for (int i = 0; i < 50; i++)
#pragma omp task shared(done)
  {
#pragma omp atomic
    done++;
  }
  if (done != 50)
    std::abort();
}

// They run where one thread waits for them, and where the others wait at the end.
SCENE awaited() {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 20; i++)
#pragma omp task
      present++;
#pragma omp taskwait
#pragma omp taskgroup
    for (int i = 0; i < 20; i++)
#pragma omp task
    {
#pragma omp task
      present++;
#pragma omp taskwait
    }
  }
}

// Only one thread can run them, in its wait for them.
SCENE alone() {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      for (int i = 0; i < 20; i++)
#pragma omp task
        present++;
#pragma omp taskwait
      present = 1000;
    } else
      while (present < 1000)
        ;
  }
  present = 0;
}

// More events than a small ring has room for.
SCENE many() {
  for (int i = 0; i < 300; i++)
    plain();
}

struct Scene {
  const char *name;
  void (*run)();
};

const Scene scenes[] = {{"plain", plain},     {"barriers", barriers}, {"loop", loop},
                        {"sampled", sampled}, {"spins", spins},       {"factors", factors},
                        {"nested", nested},   {"tasks", tasks},       {"awaited", awaited},
                        {"alone", alone},     {"many", many}};

} // namespace

int main(int argc, char **argv) {
  omp_set_max_active_levels(2);
  for (int i = 1; i < argc; i++)
    for (const Scene &scene : scenes)
      if (std::strcmp(argv[i], scene.name) == 0)
        scene.run();
}
