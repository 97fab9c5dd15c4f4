// SPDX-License-Identifier: GPL-3.0-or-later
// Programs whose instructions task_instructions.py counts: `fib N` makes a task of every call that
// a Fibonacci number's definition takes, `chain LEVELS` a task that creates one and waits for it,
// and so on, while the thread that began it sleeps.
#include <omp.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

long fib(long n) {
  if (n < 2)
    return n;
  long a, b;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

long chain(long levels) {
  if (levels == 0)
    return 0;
  long below;
#pragma omp task shared(below)
  below = chain(levels - 1);
#pragma omp taskwait
  return below + 1;
}

// The chain runs on another thread than that which began it.
long far_chain(long levels) {
  std::atomic<bool> begun{false};
  long length;
#pragma omp task shared(begun, length)
  {
    begun = true;
    // Until the other one sleeps, or long enough.
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    length = chain(levels);
  }
  while (omp_get_num_threads() > 1 && !begun)
    std::this_thread::yield();
#pragma omp taskwait
  return length;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s fib|chain NUMBER\n", argv[0]);
    return 2;
  }
  const long number = std::atol(argv[2]);
  const bool is_chain = std::strcmp(argv[1], "chain") == 0;
  long result = 0;
#pragma omp parallel
#pragma omp single
  result = is_chain ? far_chain(number) : fib(number);
  std::printf("%ld\n", result);
}
