// SPDX-License-Identifier: GPL-3.0-or-later
// Called regions of fewer ids than the pool has threads: the last id to arrive is held up at each
// instruction of its way to the end of the region, while another one makes the region's first
// tasks and threads without an id take all the numbers that are free.
//
// A hang is a failure.
#include "life.h"

#if !defined __x86_64__
int main() { life::skip("instructions are stepped through on x86-64 only"); }
#else

#include <link.h>
#include <pthread.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <x86intrin.h>

#include <atomic>
#include <csignal>
#include <set>
#include <utility>

namespace {

// More instructions than an id takes from its function to the end of its region.
const int kMost = 300;
const int kTasks = 2;
const unsigned long kTrap = 0x100;

double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

// Looks at CONDITION for so many seconds.
template <typename Condition> bool comes(double seconds, const Condition &condition) {
  const double end = now() + seconds;
  while (!condition())
    if (now() > end)
      return false;
    else
      usleep(100);
  return true;
}

// The library's code.
uintptr_t first_code, end_code;

int note_code(dl_phdr_info *info, size_t, void *function) {
  const auto wanted = reinterpret_cast<uintptr_t>(function);
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) &header = info->dlpi_phdr[i];
    const uintptr_t first = info->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD && wanted - first < header.p_memsz) {
      first_code = first;
      end_code = first + header.p_memsz;
    }
  }
  return end_code != 0;
}

// The instruction of the library before which the id is held up, or 0, and those that it has come
// to.
std::atomic<int> hold_at, came_to;
std::atomic<bool> held, region_ended, counted_in;
std::atomic<int> tasks, helpers;

void trap(int, siginfo_t *, void *context) {
  greg_t *const registers = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
  const auto here = uintptr_t(registers[REG_RIP]);
  if (here < first_code || here >= end_code)
    return;
  const int at = ++came_to;
  if (at < hold_at)
    return;
  registers[REG_EFL] &= ~greg_t(kTrap);
  if (at != hold_at)
    return;
  held = true;
  // It may hold the lock of the tasks.
  if (comes(.05, [] { return tasks == kTasks; }))
    counted_in = comes(.002, [] { return +region_ended; });
}

// A region for each instruction: once it had tasks it takes turns. Returns whether its end waited
// for the id that was held up.
template <int N> bool hold_up() {
  counted_in = false;
  for (const bool called : {false, true}) {
    std::atomic<bool> begun{false};
    held = region_ended = false;
    tasks = helpers = came_to = 0;
    hold_at = N;
    // A smaller team that takes turns would shrink the pool.
    const int ids = called ? 2 : omp_get_max_threads();
#pragma omp parallel num_threads(ids)
    if (called) {
      if (omp_get_thread_num() == 1) {
        begun = true;
        __writeeflags(__readeflags() | kTrap);
      } else {
        while (!begun)
          usleep(100);
        // It may sleep at the dock, and makes no steps when it comes from there.
        if (!comes(.1, [] { return +held; })) {
          counted_in = true;
          hold_at = 0;
        }
        for (int i = 0; i < kTasks; i++) {
#pragma omp task
          {
            // A helper has a number if there is one.
            if (omp_get_thread_num() == 1)
              helpers++;
            else if (i == 0)
              comes(.002, [] { return helpers != 0; });
            tasks++;
          }
        }
      }
    }
    region_ended = true;
    life::check(tasks == (called ? kTasks : 0), "instruction %d: %d tasks", N, +tasks);
  }
  return !counted_in;
}

template <int... N> int hold_up_at_each(std::integer_sequence<int, N...>) {
  int count = 0;
  (void)((hold_up<N + 1>() && ++count) && ...);
  return count;
}

// Whether one thread runs several ids of a region, as far as can be seen.
bool is_called() {
  for (int round = 0; round < 20; round++) {
    std::set<pthread_t> threads;
    int ids = 0;
#pragma omp parallel reduction(+ : ids)
    {
      ids++;
#pragma omp critical
      threads.insert(pthread_self());
    }
    if (int(threads.size()) < ids)
      return true;
  }
  return false;
}

} // namespace

int main() {
  life::ours();
  dl_iterate_phdr(note_code, reinterpret_cast<void *>(&GOMP_parallel));
  struct sigaction action = {};
  action.sa_sigaction = trap;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  life::check(sigaction(SIGTRAP, &action, nullptr) == 0, "no handler");
  life::check(omp_get_max_threads() >= 4, "a pool of %d threads", omp_get_max_threads());
  life::check(is_called(), "no region is called");
  const int count = hold_up_at_each(std::make_integer_sequence<int, kMost>());
  std::printf("%d instructions\n", count);
  life::check(count >= 50, "held up at %d instructions", count);
  return 0;
}
#endif
