// SPDX-License-Identifier: GPL-3.0-or-later
// Many tiny loops, a million unless an argument says how many: in one region, in a region each, in
// nowait chains; memory stays what it was after the first tenth.
#include "life.h"

constexpr int kTrips = 16;
static long sums[2][16];

// Each thread adds to a sum of its own line.
static void tiny(long *sum) {
#pragma omp for schedule(nonmonotonic : runtime) nowait
  for (int i = 0; i < kTrips; i++)
    *sum += i;
}

constexpr int kKinds = sizeof life::kKinds / sizeof life::kKinds[0];

static void set_kind(int number) { omp_set_schedule(life::kKinds[number % kKinds], 0); }

// Loops from number FIRST on, before number END, with a barrier after every CHAIN; those of a kind
// in one region.
static void in_one_region(int first, int end, int chain) {
  for (int kind = 0; kind < kKinds; kind++) {
    set_kind(kind);
#pragma omp parallel num_threads(2)
    {
      if (omp_get_thread_num() == 0)
        life::is_aid();
      for (int loop = first + kind, run = 1; loop < end; loop += kKinds, run++) {
        tiny(sums[omp_get_thread_num()]);
        if (run % chain == 0) {
#pragma omp barrier
        }
      }
    }
  }
}

static void in_one_region_with_barriers(int first, int end) { in_one_region(first, end, 1); }
static void in_chains(int first, int end) { in_one_region(first, end, 50); }

static void in_a_region_each(int first, int end) {
  for (int loop = first; loop < end; loop++) {
    set_kind(loop / 1000);
#pragma omp parallel num_threads(2)
    {
      if (loop % 1000 == 0 && omp_get_thread_num() == 0)
        life::is_aid();
      tiny(sums[omp_get_thread_num()]);
    }
  }
}

static void measure(const char *what, int count, void (*loops)(int, int)) {
  std::memset(sums, 0, sizeof sums);
  loops(0, count / 10);
  const size_t before = life::in_use();
  const long resident = life::resident();
  loops(count / 10, count);
  const long growth = long(life::in_use()) - long(before);
  const long resident_growth = life::resident() - resident;
  std::printf("%s: %zu bytes in use, %+ld; %ld kB resident, %+ld\n", what, before, growth, resident,
              resident_growth);
  const long sum = sums[0][0] + sums[1][0], expected = long(count) * kTrips * (kTrips - 1) / 2;
  life::check(sum == expected, "%s: the sum is %ld and should be %ld", what, sum, expected);
  // How many loops of a chain are in flight, and so have memory, is a matter of time.
  life::check(growth < 32768, "%s: memory in use grew by %ld bytes", what, growth);
  life::check(resident_growth < 512, "%s: resident memory grew by %ld kB", what, resident_growth);
}

int main(int argc, char **argv) {
  life::ours();
  const int count = argc > 1 ? std::atoi(argv[1]) : 1000000;
  // malloc keeps what stdio allocates, and counts it.
  std::printf("%d loops, %ld kB resident\n", count, life::resident());
  measure("loops of one region", count, in_one_region_with_barriers);
  measure("nowait chains", 1000000, in_chains);
  measure("regions", count, in_a_region_each);
  return 0;
}
