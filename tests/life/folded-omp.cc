// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the cases of folded teams: an argument names one, none runs all of them.
#include "folded-omp.h"
#include "life.h"

#include <omp.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace folded {

// How often each id of the present region ran.
static std::vector<std::atomic<int>> ran(64);

void make_threads() {
  const int size = omp_get_max_threads();
  int threads = 0;
#pragma omp parallel num_threads(size) reduction(+ : threads)
  threads++;
  life::check(threads == size, "%d threads, not %d", threads, size);
}

void check_once(int size, const char *what) {
  for (int id = 0; id < 64; id++)
    life::check(ran[id].exchange(0) == (id < size), "%s: id %d of %d did not run once", what, id,
                size);
}

void mark() {
  const int id = omp_get_thread_num();
  life::check(id >= 0 && id < 64, "id %d", id);
  ran[id]++;
}

void work(int steps) {
  volatile double x = 1;
  for (int i = 0; i < steps; i++)
    x = x * 1.000001;
}

} // namespace folded

int main(int argc, char **argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  if (name[0] == '-')
    folded::end_by(name);
  life::ours();
  life::carried();
  bool any = false;
  for (const auto *cases : {&folded::kSeen, &folded::kWaits, &folded::kEnds})
    for (const folded::Case &test : *cases)
      if (name.empty() || name == test.name) {
        any = true;
        folded::make_threads();
        test.body();
        if (std::getenv("VERBOSE"))
          std::printf("%s\n", test.name);
      }
  life::check(any, "no case %s", name.c_str());
  return 0;
}
