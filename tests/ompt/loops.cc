// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a schedule(runtime) loop in a region by itself, one that starts with its region, an
// ordered static one, and a cancelled one. Prints for each how many iterations each thread
// ran: loops <threads> <trips> <rounds> [met]

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <omp.h>
#include <vector>

namespace {

std::vector<long> counts;

void print(const char *name) {
  std::printf("%s", name);
  for (long &count : counts) {
    std::printf(" %ld", count);
    count = 0;
  }
  std::printf("\n");
}

[[gnu::noinline]] void separate(long trips) {
#pragma omp parallel
  {
    long &mine = counts[omp_get_thread_num()];
#pragma omp for schedule(runtime)
    for (long i = 0; i < trips; i++)
      mine++;
  }
}

// Each thread has a sample: none begins before all are there.
[[gnu::noinline]] void met(long trips) {
  std::atomic<size_t> present{0};
#pragma omp parallel
  {
    for (present++; present < counts.size();)
      ;
#pragma omp for schedule(runtime)
    for (long i = 0; i < trips; i++)
      for (int j = 0; j < 5000; j++)
        asm volatile("" ::: "memory");
  }
}

[[gnu::noinline]] void together(long trips) {
#pragma omp parallel for schedule(runtime)
  for (unsigned long long i = 0; i < (unsigned long long)trips; i++)
    counts[omp_get_thread_num()]++;
}

// Upstream's code runs a static loop that is ordered.
[[gnu::noinline]] void ordered(long trips) {
#pragma omp parallel
#pragma omp for schedule(static, 3) ordered
  for (long i = 0; i < std::min(trips, 1000L); i++)
    counts[omp_get_thread_num()]++;
}

[[gnu::noinline]] void cancelled(long trips) {
#pragma omp parallel
#pragma omp for schedule(runtime)
  for (long i = 0; i < trips; i++) {
#pragma omp cancel for
  }
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 4 && argc != 5)
    return 2;
  counts.resize(std::atoi(argv[1]));
  omp_set_num_threads(int(counts.size()));
  if (argc == 5) {
    met(std::atoi(argv[2]));
    return 0;
  }
  const struct {
    const char *name;
    void (*run)(long);
  } forms[] = {{"separate", separate},
               {"together", together},
               {"ordered", ordered},
               {"cancelled", cancelled}};
  for (const auto &form : forms) {
    for (int round = 0; round < std::atoi(argv[3]); round++)
      form.run(std::atoi(argv[2]));
    print(form.name);
  }
}
