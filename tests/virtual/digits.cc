// SPDX-License-Identifier: GPL-3.0-or-later
// Prints when each of several kinds of parallel code ends, in virtual nanoseconds: digits that have
// to be the same in every run.
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <omp.h>
#include <vector>

namespace {

double total;
volatile int stage;

double spend(long turns) {
  double x = 1;
  for (long i = 0; i < turns; ++i)
    x = x * .999999 + std::sin(x);
  return x;
}

// Keeps the compiler from leaving out what X takes.
void expect(double x) {
  if (!(x > -10))
    std::abort();
}

void show(const char *what) { std::printf("%s %.0f\n", what, 1e9 * omp_get_wtime()); }

void loops() {
  double sum = 0;
  for (int round = 0; round < 10; ++round) {
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < 500; ++i)
      sum += spend(i % 50 * 10);
  }
  total += sum;
  show("loops");
}

void chains() {
  std::vector<double> a(400), b(400);
#pragma omp parallel
  for (int round = 0; round < 10; ++round) {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < 400; ++i)
      a[i] = spend(i);
#pragma omp for schedule(static) nowait
    for (int i = 0; i < 400; ++i)
      b[i] = a[i] + spend(10);
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < 400; ++i)
      a[i] += spend(20);
  }
  total += b[7];
  show("chains");
}

void locks() {
  omp_lock_t lock;
  omp_init_lock(&lock);
  long taken = 0, atomic = 0;
#pragma omp parallel
  for (int i = 0; i < 50; ++i) {
    expect(spend(i));
    omp_set_lock(&lock);
    ++taken;
    omp_unset_lock(&lock);
#pragma omp critical
    taken += spend(5) > 0;
#pragma omp atomic
    ++atomic;
  }
  omp_destroy_lock(&lock);
  total += double(taken + atomic);
  show("locks");
}

void nested() {
  omp_set_max_active_levels(2);
  std::atomic<int> count{0};
#pragma omp parallel num_threads(3)
  for (int round = 0; round < 5; ++round) {
#pragma omp parallel for num_threads(2) schedule(runtime)
    for (int i = 0; i < 40; ++i)
      count += spend(i) > 0;
  }
  total += count;
  show("nested");
}

void tree(int depth) {
  if (depth == 0) {
#pragma omp atomic
    total += spend(200) > 0;
    return;
  }
  for (int i = 0; i < 3; ++i)
#pragma omp task
    tree(depth - 1);
#pragma omp taskwait
}

void tasks() {
#pragma omp parallel
#pragma omp single
  tree(5);
  show("tasks");
}

// Threads that wait for each other by looking at memory, without a call of the library.
void spins() {
#pragma omp parallel num_threads(3)
  for (int round = 0; round < 20; ++round) {
    const int me = omp_get_thread_num(), last = round * 3 + me;
    while (stage != last)
      ;
    expect(spend(300));
    stage = last + 1;
  }
  std::atomic<int> ready{0};
#pragma omp parallel num_threads(4)
  {
    expect(spend(1000 * omp_get_thread_num()));
    ready.fetch_add(1);
    while (ready.load(std::memory_order_acquire) < 4)
      ;
  }
  show("spins");
}

void pipeline() {
  double row[64] = {};
#pragma omp parallel for ordered(1) schedule(static, 1)
  for (int i = 0; i < 64; ++i) {
    double x = spend(200);
#pragma omp ordered depend(sink : i - 1)
    row[i] = x + (i > 0 ? row[i - 1] : 0);
#pragma omp ordered depend(source)
  }
  total += row[63];
  show("pipeline");
}

} // namespace

int main() {
  loops();
  chains();
  locks();
  nested();
  tasks();
  spins();
  pipeline();
  std::printf("total %.6g\n", total);
}
