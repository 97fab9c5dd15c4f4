// SPDX-License-Identifier: GPL-3.0-or-later
// An OpenMP plugin: loops whose iterations run once, and are sampled by every thread.
#include "life.h"

// The slower thread's iterations take this many times as long. Plugins differ in that alone, so
// that one can be mapped where another was.
#ifndef SLOWNESS
#define SLOWNESS 1
#endif

static life::Loops<4096> loops;

static void spin(int times) {
  for (int i = 0; i < times; i++)
    asm volatile("");
}

extern "C" void life_run(int threads) {
  life::ours();
  for (omp_sched_t kind : life::kKinds) {
    loops.run(kind, threads);
    life::sampled_loop(kind, threads, 1024,
                       [] { spin(omp_get_thread_num() % 2 == 0 ? 1000 * SLOWNESS : 1000); });
  }
}

#ifdef IN_CONSTRUCTOR
// The thread that opens the plugin is still in dlopen now, and holds the loader's lock.
static const bool ran = (life_run(3), true);
#endif
