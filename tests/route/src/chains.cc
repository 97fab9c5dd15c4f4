// SPDX-License-Identifier: GPL-3.0-or-later
// C++: templates, lambdas, range loops, iterators, exceptions and destructors around loops.
//
// expect instance<int> 1 1 1
// expect instance<long> 1 1 1
// expect chained_instance 0 0 2
// expect in_lambda 1 1 1
// expect lambda_called 0 0 2
// expect range_for 1 1 1
// expect iterators 1 1 1
// expect member 1 1 1
// expect Counter::Counter 1 1 1
// expect caught 0 0 2
// expect caught_with_barrier 2 2 2
// expect destructor_chain 0 0 1
// expect Reader::~Reader 0 0 1
// expect destructor_harmless 2 2 2
// expect thrown_past_barrier 0 0 1
// expect reached_by_throw 0 0 2
// expect returning 0 0 1
// expect value_chain 0 0 1
// expect make_value 0 0 1

#include "check.h"
#include <array>
#include <stdexcept>
#include <vector>

namespace {

constexpr int N = 4096;
int x[N], y[N];
volatile int yes = 1;

template <typename T> void instance(T n) {
#pragma omp parallel for
  for (T i = 0; i < n; i++)
    y[i] = i + 1;
}

template <typename T> void chained_instance(T n) {
#pragma omp parallel
  {
#pragma omp for nowait
    for (T i = 0; i < n; i++)
      x[i] = later(i);
#pragma omp for
    for (T i = 0; i < n; i++)
      y[i] = x[i];
  }
}

void in_lambda() {
  auto body = [](int add) {
#pragma omp parallel for
    for (int i = 0; i < N; i++)
      y[i] = i + add;
  };
  body(1);
}

// The loop of the lambda is orphaned, and called within a chain; the names of both loops' functions
// contain lambda_called.
template <typename F> void lambda_caller(F lambda) {
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < N; i++)
      x[i] = later(i);
    lambda();
  }
}

void lambda_called() {
  lambda_caller([] {
#pragma omp for
    for (int i = 0; i < N; i++)
      y[i] = x[i];
  });
}

void range_for() {
  std::vector<int> v(N, 1);
#pragma omp parallel for
  for (int &e : v)
    e += &e - v.data();
  for (int i = 0; i < N; i++)
    y[i] = v[i];
}

void iterators() {
  std::vector<int> v(N, 1);
#pragma omp parallel for
  for (auto i = v.begin(); i < v.end(); ++i)
    *i += i - v.begin();
  for (int i = 0; i < N; i++)
    y[i] = v[i];
}

struct Counter {
  int count = 0;
  Counter() {
#pragma omp parallel for reduction(+ : count)
    for (int i = 0; i < N; i++)
      count++;
  }
  void member() {
#pragma omp parallel for
    for (int i = 0; i < N; i++)
      y[i] = i + count - N + 1;
  }
};

void may_throw() {
  if (!yes)
    throw std::runtime_error("not reached");
}

void always_throw() {
  if (yes)
    throw std::runtime_error("reached");
}

// The barrier may be jumped over by an exception.
void caught() {
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < N; i++)
      x[i] = later(i);
    try {
      always_throw();
#pragma omp barrier
    } catch (const std::runtime_error &) {
    }
#pragma omp for
    for (int i = 0; i < N; i++)
      y[i] = x[i];
  }
}

void caught_with_barrier() {
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < N; i++)
      x[i] = later(i);
    try {
      always_throw();
    } catch (const std::runtime_error &) {
    }
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < N; i++)
      y[i] = x[i];
  }
}

struct Reader {
  ~Reader() {
    if (yes) {
#pragma omp for
      for (int i = 0; i < N; i++)
        y[i] = x[i];
    }
  }
};

// The last loop of the region is in a destructor.
void destructor_chain() {
#pragma omp parallel
  {
    Reader reader;
#pragma omp for nowait
    for (int i = 0; i < N; i++)
      x[i] = later(i);
  }
}

struct Harmless {
  std::array<int, 4> data{};
  ~Harmless() { may_throw_not(); }
  void may_throw_not() noexcept { yes = yes | data[0]; }
};

void destructor_harmless() {
#pragma omp parallel
  {
    Harmless one;
#pragma omp for nowait
    for (int i = 0; i < N; i++)
      x[i] = later(i);
    may_throw();
    {
      Harmless two;
#pragma omp barrier
    }
#pragma omp for
    for (int i = 0; i < N; i++)
      y[i] = x[i];
  }
}

// An exception can leave this function between its loop and the barrier.
[[gnu::noinline]] void thrown_past_barrier() {
#pragma omp for nowait
  for (int i = 0; i < N; i++)
    x[i] = later(i);
  always_throw();
#pragma omp barrier
}

[[gnu::noinline]] void returning() {
#pragma omp for nowait
  for (int i = 0; i < N; i++)
    x[i] = later(i);
  if (yes)
    return;
#pragma omp barrier
}

void reached_by_throw() {
#pragma omp parallel
  {
    try {
      thrown_past_barrier();
    } catch (const std::runtime_error &) {
    }
#pragma omp for
    for (int i = 0; i < N; i++)
      y[i] = x[i];
#pragma omp single
    for (int i = 0; i < N; i++)
      x[i] = 0;
    returning();
#pragma omp for
    for (int i = 0; i < N; i++)
      y[i] = x[i];
  }
}

// A call that makes a value in place, in a function without a loop.
struct Value {
  ~Value() { yes = one; }
  int one = 1;
};

[[gnu::noinline]] Value make_value() {
#pragma omp for
  for (int i = 0; i < N; i++)
    y[i] = x[i];
  return {};
}

[[gnu::noinline]] void make_and_forget() { make_value(); }

void value_chain() {
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < N; i++)
      x[i] = later(i);
    make_and_forget();
  }
}

template <typename F> void makes_y(const char *name, F f) {
  for (int i = 0; i < N; i++)
    x[i] = y[i] = 0;
  f();
  int wrong = 0;
  for (int i = 0; i < N; i++)
    wrong += y[i] != i + 1;
  check(name, wrong, 0);
}

} // namespace

int main() {
  makes_y("instance<int>", [] { instance<int>(N); });
  makes_y("instance<long>", [] { instance<long>(N); });
  makes_y("chained_instance", [] { chained_instance<unsigned>(N); });
  makes_y("in_lambda", in_lambda);
  makes_y("lambda_called", lambda_called);
  makes_y("range_for", range_for);
  makes_y("iterators", iterators);
  makes_y("member", [] { Counter().member(); });
  makes_y("caught", caught);
  makes_y("caught_with_barrier", caught_with_barrier);
  makes_y("destructor_chain", destructor_chain);
  makes_y("destructor_harmless", destructor_harmless);
  makes_y("reached_by_throw", reached_by_throw);
  makes_y("value_chain", value_chain);
  return failures;
}
