// SPDX-License-Identifier: GPL-3.0-or-later
// What becomes of regions of a folded program whose threads wait for each other outside of OpenMP,
// and of a program that binds its threads itself. The argument is one, many, memory or pinned.
#include "life.h"

#include <unistd.h>

#include <atomic>
#include <vector>

namespace {

// The threads wait for a token that goes round twice, in pipes, so that whichever thread of a
// worker comes first has to wait for the others. Returns how many threads but the first are not
// folded when the region begins.
template <int Region> int ring() {
  const int threads = omp_get_max_threads();
  std::vector<int> from, to;
  for (int i = 0; i < threads; i++) {
    int ends[2];
    life::check(pipe(ends) == 0, "no pipe");
    from.push_back(ends[0]);
    to.push_back(ends[1]);
  }
  life::check(write(to[0], "", 1) == 1, "no token");
  int free = 0;
#pragma omp parallel reduction(+ : free)
  {
    const size_t me = size_t(omp_get_thread_num());
    char token = Region;
    // The threads of a worker are one after the other from here on.
#pragma omp barrier
    free = me != 0 && !life::folded();
    for (int round = 0; round < 2; round++)
      life::check(read(from[me], &token, 1) == 1 &&
                      write(to[(me + 1) % size_t(threads)], &token, 1) == 1,
                  "no token");
  }
  for (size_t i = 0; i < size_t(threads); i++) {
    close(from[i]);
    close(to[i]);
  }
  return free;
}

// A token goes from the last thread to the first one, once in a region and through memory, so that
// on each worker all threads wait for the last one that comes.
void memory() {
  const int threads = omp_get_max_threads();
  int in_turn = 0;
  for (int time = 0; time < 1000 && in_turn < 20; time++) {
    std::atomic<int> token{threads - 1};
    int free = 0;
#pragma omp parallel reduction(+ : free)
    {
      const int me = omp_get_thread_num();
      free = me != 0 && !life::folded();
      while (token != me)
        continue;
      token = me - 1;
    }
    life::check(token == -1, "the token is at %d", token.load());
    in_turn = free == threads - 1 ? in_turn + 1 : 0;
  }
  life::check(in_turn == 20, "only %d runs in turn were unfolded", in_turn);
}

int others() { return omp_get_max_threads() - 1; }

// Until it is not folded any more.
template <int Region> void wear_out() {
  int free = 0;
  for (int time = 0; time < 100 && free != others(); time++)
    free = ring<Region>();
  // In a trial each run is folded or not at random. A busy machine may cause more trials.
  for (int time = 0, in_turn = 1; time < 2000 && in_turn < 20; time++) {
    free = ring<Region>();
    in_turn = free == others() ? in_turn + 1 : 0;
  }
  life::check(free == others(), "region %d: %d of %d threads are unfolded", Region, free, others());
}

int free_in_another_region() {
  int free = 0;
  for (int time = 0; time < 3; time++) {
    free = 0;
#pragma omp parallel reduction(+ : free)
    {
#pragma omp barrier
      free = omp_get_thread_num() != 0 && !life::folded();
    }
  }
  return free;
}

void one() {
  wear_out<0>();
  const int free = free_in_another_region();
  life::check(free == 0, "%d threads of another region are unfolded", free);
  const int again = ring<0>();
  life::check(again == others(), "%d of %d threads are unfolded again", again, others());
}

template <int Region> void all_up_to() {
  if constexpr (Region > 0)
    all_up_to<Region - 1>();
  wear_out<Region>();
  const int free = free_in_another_region();
  // GOMP_FOLD_MOST_UNFOLDED is 8.
  life::check(free == (Region < 7 ? 0 : others()), "%d threads of another region after %d", free,
              Region);
}

#ifdef PINNED
// The program imports what binds threads: each id has a kernel thread of its own.
void pinned() {
  // The last core, which is not the initial thread's: that one cannot be told from the library's.
  cpu_set_t last;
  sched_getaffinity(0, sizeof last, &last);
  for (int cpu = CPU_SETSIZE - 1, kept = 0; cpu >= 0; cpu--)
    if (CPU_ISSET(cpu, &last) && kept++ > 0)
      CPU_CLR(cpu, &last);
  int strange = 0;
#pragma omp parallel reduction(+ : strange)
  {
#pragma omp barrier
    strange = sched_setaffinity(0, sizeof last, &last) != 0;
#pragma omp barrier
  }
  life::check(strange == 0, "threads cannot be bound");
  const double end = omp_get_wtime() + 0.3;
  while (omp_get_wtime() < end) {
#pragma omp parallel reduction(+ : strange)
    {
      cpu_set_t mask;
#pragma omp barrier
      strange += sched_getaffinity(0, sizeof mask, &mask) != 0 || !CPU_EQUAL(&mask, &last);
    }
    life::check(strange == 0, "%d threads have another mask than the program gave them", strange);
    usleep(1000);
  }
}
#endif

} // namespace

int main(int, char **argv) {
  life::ours();
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0 || CPU_COUNT(&mask) < 2)
    life::skip("one core");
  const char *const mode = argv[1];
  if (std::strcmp(mode, "one") == 0)
    one();
  else if (std::strcmp(mode, "many") == 0)
    all_up_to<7>();
  else if (std::strcmp(mode, "memory") == 0)
    memory();
#ifdef PINNED
  else
    pinned();
#endif
  return 0;
}
