// SPDX-License-Identifier: GPL-3.0-or-later
// C++: what is called around a loop with schedule(static), seen and not.
//
// expect local_buffer 0 0 0
// expect buffer_of_iteration 0 1 0
// expect bound_by_member 0 1 0
// expect iterators 0 1 0
// expect lambda_inside 0 1 0
// expect two_ranges 0 0 0
// expect constructs_with_loop 0 0 0
// expect returns_by_value 0 0 0
// expect copies_array 0 0 0
// expect calls_virtual 0 0 0
// expect destroys_elsewhere 0 0 0

#include "check.h"
#include <cstddef>

namespace {

constexpr int N = 4096;
int y[N], z[N];
volatile int yes = 1;

class Array {
public:
  explicit Array(int n) : size_(n), data_(new int[n]()) {}
  Array(const Array &) = delete;
  ~Array() { delete[] data_; }
  int size() const { return size_; }
  int *begin() const { return data_; }
  int *end() const { return data_ + size_; }
  int &operator[](int i) { return data_[i]; }

private:
  int size_;
  int *data_;
};

void local_buffer() {
#pragma omp parallel
  {
    Array mine(1);
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++) {
      mine[0] = i + 1;
      y[i] = mine[0];
    }
  }
}

void buffer_of_iteration() {
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++) {
      Array mine(1);
      mine[0] = i + 1;
      y[i] = mine[0];
    }
  }
}

void bound_by_member() {
  Array v(N);
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < v.size(); i++)
      y[i] = i + 1;
  }
}

void iterators() {
  Array v(N);
#pragma omp parallel for schedule(static)
  for (int &e : v)
    e = int(&e - v.begin()) + 1;
  for (int i = 0; i < N; i++)
    y[i] = v[i];
}

void lambda_inside() {
  auto value = [](int i) { return i + yes; };
#pragma omp parallel
  {
    int one = value(0);
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      y[i] = value(i) + one - 1;
  }
}

void two_ranges() {
#pragma omp parallel
  {
    Array mine(N);
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      mine[i] = later(i);
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      y[i] = mine[i];
  }
}

struct Filler {
  Filler() {
#pragma omp for
    for (int i = 0; i < N; i++)
      z[i] = 0;
  }
  Filler(const Filler &) : Filler() {}
  int one = 1;
};

[[gnu::noinline]] void fill() { Filler filler; }

[[gnu::noinline]] Filler make() { return Filler(); }

[[gnu::noinline]] int make_and_forget() { return make().one; }

struct Copied {
  Copied() = default;
  Copied(const Copied &) {
#pragma omp for
    for (int i = 0; i < N; i++)
      z[i] = 0;
  }
};

struct Copieds {
  Copied all[2];
} copieds;

[[gnu::noinline]] void copy_all() { Copieds copy = copieds; }

void constructs_with_loop() {
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      y[i] = i + 1;
    fill();
  }
}

void returns_by_value() {
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      y[i] = i + 1;
    make_and_forget();
  }
}

void copies_array() {
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      y[i] = i + 1;
    copy_all();
  }
}

struct Base {
  virtual void visit() = 0;
};

struct Visitor : Base {
  void visit() override { yes = 1; }
} visitor;

Base *volatile base = &visitor;

void calls_virtual() {
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      y[i] = i + 1;
    base->visit();
  }
}

// The linker finds the destructor below; the compiler does not.
extern "C" void defined_here() { yes = 1; }
extern "C" void elsewhere() __asm__("defined_here");

struct Caller {
  ~Caller() { elsewhere(); }
};

void destroys_elsewhere() {
#pragma omp parallel
  {
    Caller caller;
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      y[i] = i + 1;
  }
}

template <typename F> void makes_y(const char *name, F f) {
  for (int i = 0; i < N; i++)
    y[i] = 0;
  f();
  int wrong = 0;
  for (int i = 0; i < N; i++)
    wrong += y[i] != i + 1;
  check(name, wrong, 0);
}

} // namespace

int main() {
  makes_y("local_buffer", local_buffer);
  makes_y("buffer_of_iteration", buffer_of_iteration);
  makes_y("bound_by_member", bound_by_member);
  makes_y("iterators", iterators);
  makes_y("lambda_inside", lambda_inside);
  makes_y("two_ranges", two_ranges);
  makes_y("constructs_with_loop", constructs_with_loop);
  makes_y("returns_by_value", returns_by_value);
  makes_y("copies_array", copies_array);
  makes_y("calls_virtual", calls_virtual);
  makes_y("destroys_elsewhere", destroys_elsewhere);
  return failures;
}
