// SPDX-License-Identifier: GPL-3.0-or-later
// What the library keeps of called regions is bounded by process: several pools that run the same
// regions share what is learned, and of very many regions some are not remembered.
#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "life.h"

#if defined __x86_64__ || defined __aarch64__
extern "C" {
void life_region(void *count);
extern const char life_regions[];
}

namespace {

// Functions of regions, 16 bytes each. The library remembers 65536 at most.
constexpr int kRegions = 70000, kPools = 20, kShared = 1000, kIds = 6;

pthread_t ran_by[kIds];

} // namespace

#ifdef __x86_64__
#define JUMP "jmp life_region\n"
#else
#define JUMP "b life_region\n"
#endif
asm(".text\n"
    ".balign 16\n"
    "life_regions:\n"
    ".rept 70000\n" JUMP ".balign 16\n"
    ".endr\n");

__attribute__((visibility("hidden"))) void life_region(void *count) {
  ran_by[omp_get_thread_num()] = pthread_self();
  static_cast<std::atomic<int> *>(count)->fetch_add(1, std::memory_order_relaxed);
}

namespace {

// Runs regions FIRST to END - 1. Returns how many of them had two ids on one thread: those that
// were called.
int run(int first, int end) {
  int called = 0;
  for (int region = first; region < end; region++) {
    std::atomic<int> count{0};
    GOMP_parallel(reinterpret_cast<void (*)(void *)>(uintptr_t(life_regions) + 16 * region), &count,
                  kIds, 0);
    life::check(count == kIds, "%d ids of region %d ran", count.load(), region);
    bool shared = false;
    for (int id = 1; id < kIds; id++)
      shared |= pthread_equal(ran_by[id], ran_by[0]) != 0;
    called += shared;
  }
  return called;
}

// What a pool has allocated by running so many regions often enough that they are called.
size_t allocated(int end) {
  run(0, 1);
  const size_t before = life::in_use();
  run(0, end);
  life::check(run(0, end) > 0, "no region is called");
  return life::in_use() - before;
}

std::atomic<int> turn{0};
size_t grown[kPools];

// Initial thread NUMBER, whose pool lasts until all have run their regions.
void *initial(void *number) {
  const int me = int(intptr_t(number));
  while (turn != me)
    sched_yield();
  grown[me] = allocated(kShared);
  turn++;
  while (turn != kPools)
    sched_yield();
  return nullptr;
}

void pools() {
  pthread_t threads[kPools];
  for (int i = 0; i < kPools; i++)
    pthread_create(&threads[i], nullptr, initial, reinterpret_cast<void *>(intptr_t(i)));
  for (const pthread_t thread : threads)
    pthread_join(thread, nullptr);
  size_t further = 0;
  for (int i = 1; i < kPools; i++)
    further += grown[i] / kShared;
  further /= kPools - 1;
  std::printf("a region takes %zu bytes, and in a further pool %zu\n", grown[0] / kShared, further);
  // A pool whose first core gets no CPU time for a while begins with the second one: what is
  // learned of that is another thing.
  life::check(further <= 300, "%zu bytes for each region that another pool has run", further);
}

// 65536 sites of the program, and the 32 MB of all that is learned.
void regions() {
  const size_t bytes = allocated(kRegions);
  std::printf("%zu bytes for %d regions\n", bytes, kRegions);
  life::check(bytes <= 65536 * 300 + (34 << 20), "there is no end to the memory of regions");
  run(0, 1);
  const size_t before = life::in_use();
  run(kRegions - 2000, kRegions);
  life::check(life::in_use() - before < 4096, "regions that are not remembered take memory");
}

} // namespace

int main(int argc, char **argv) {
  life::ours();
  omp_set_num_threads(kIds);
  if (argc > 1 && std::strcmp(argv[1], "regions") == 0)
    regions();
  else
    pools();
  return 0;
}
#else
int main() { life::skip("the regions of this test are code for other processors"); }
#endif
