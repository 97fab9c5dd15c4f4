// SPDX-License-Identifier: GPL-3.0-or-later
// A loop of 1200 iterations that samples factors, or replays given ones, on CPUs that a preloaded
// library makes up: prints the class of each thread and how many iterations it ran.
// ranks sample|replay <threads>
#include <string>
#include <vector>

#include "life.h"

#pragma weak ompx_amp_get_thread_class

static int threads;

// Waits for all threads; ARRIVED is of this meeting.
static void meet(int &arrived) {
  __atomic_add_fetch(&arrived, 1, __ATOMIC_ACQ_REL);
  while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < threads)
    sched_yield();
}

int main(int argc, char **argv) {
  life::ours();
  life::check(argc == 3, "two arguments are needed");
  threads = std::atoi(argv[2]);
  // Threads meet in these of their own iterations. With given factors all have counted themselves
  // in when each has begun its first iteration, and have what is due to them when each has begun
  // its second. Else they have taken their samples.
  const int last = 1200 / (4 * threads) + 1;
  const std::vector<int> meetings =
      std::string(argv[1]) == "sample" ? std::vector<int>{last} : std::vector<int>{1, 2};
  std::vector<int> ran(threads), cls(threads), arrived(meetings.size());
  omp_set_schedule(life::kKinds[0], 1);
#pragma omp parallel num_threads(threads)
  {
    const int id = omp_get_thread_num();
    cls[id] = ompx_amp_get_thread_class();
#pragma omp for schedule(nonmonotonic : runtime) nowait
    for (int i = 0; i < 1200; i++) {
      ++ran[id];
      for (size_t n = 0; n < meetings.size(); n++)
        if (ran[id] == meetings[n])
          meet(arrived[n]);
    }
    for (size_t n = 0; n < meetings.size(); n++)
      if (ran[id] < meetings[n])
        __atomic_add_fetch(&arrived[n], 1, __ATOMIC_ACQ_REL);
  }
  for (int id = 0; id < threads; id++)
    std::printf("thread %d class %d ran %d\n", id, cls[id], ran[id]);
  return 0;
}
