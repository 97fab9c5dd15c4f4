// SPDX-License-Identifier: GPL-3.0-or-later
// Runs random loops of all forms under random schedules, and prints what the report has to say of
// each form: its function, how often a team ran it, and how many iterations it had in all.
//
// shapes <seed> <rounds> [counted]: only loops whose iterations each thread counts
#include <omp.h>
#include <ompx_amp.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <random>

namespace {

std::atomic<unsigned long> executions, iterations;

// Counts the iterations that one thread runs, and the execution if that is thread 0.
class Part {
public:
  Part() { executions += omp_get_thread_num() == 0; }
  ~Part() { iterations += count_; }
  void mark() { ++count_; }

private:
  unsigned long count_ = 0;
};

struct Shape {
  long first, trips, step;
  int chunk;
  long end() const { return first + trips * step; }
};

// A loop's function is what the report names, so each form has one.
#define FORM [[gnu::noinline]] void

FORM runtime_up(const Shape &s) {
#pragma omp parallel
  {
    Part part;
#pragma omp for schedule(runtime)
    for (long i = s.first; i < s.end(); i += s.step)
      part.mark();
  }
}

FORM runtime_down(const Shape &s) {
#pragma omp parallel
  {
    Part part;
#pragma omp for schedule(runtime) nowait
    for (long i = s.end(); i > s.first; i -= s.step)
      part.mark();
  }
}

FORM runtime_unsigned(const Shape &s) {
#pragma omp parallel
  {
    Part part;
#pragma omp for schedule(runtime)
    for (unsigned long long i = 1ULL << 63; i < (1ULL << 63) + s.trips; i++)
      part.mark();
  }
}

FORM runtime_combined(const Shape &s) {
  unsigned long count = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : count)
  for (long i = s.first; i < s.end(); i += s.step)
    count++;
  executions++;
  iterations += count;
}

FORM dynamic_up(const Shape &s) {
#pragma omp parallel
  {
    Part part;
#pragma omp for schedule(dynamic, s.chunk)
    for (long i = s.first; i < s.end(); i += s.step)
      part.mark();
  }
}

FORM dynamic_down(const Shape &s) {
#pragma omp parallel
  {
    Part part;
#pragma omp for schedule(nonmonotonic : dynamic, s.chunk)
    for (long i = s.end(); i > s.first; i -= s.step)
      part.mark();
  }
}

FORM dynamic_unsigned(const Shape &s) {
#pragma omp parallel
  {
    Part part;
#pragma omp for schedule(dynamic, s.chunk)
    for (unsigned long long i = ~0ULL; i > ~0ULL - s.trips; i--)
      part.mark();
  }
}

FORM dynamic_combined(const Shape &s) {
  unsigned long count = 0;
#pragma omp parallel for schedule(dynamic, s.chunk) reduction(+ : count)
  for (long i = s.first; i < s.end(); i += s.step)
    count++;
  executions++;
  iterations += count;
}

FORM guided(const Shape &s) {
#pragma omp parallel
  {
    Part part;
#pragma omp for schedule(guided, s.chunk)
    for (long i = s.first; i < s.end(); i += s.step)
      part.mark();
  }
}

// The loop is in an inner team.
FORM nested(const Shape &s) {
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(3)
  {
    Part part;
#pragma omp for schedule(runtime)
    for (long i = s.first; i < s.end(); i += s.step)
      part.mark();
  }
}

// Tasks are between iterations, and in the barrier at the end.
FORM tasks(const Shape &s) {
#pragma omp parallel
  {
    Part part;
#pragma omp for schedule(runtime) nowait
    for (long i = s.first; i < s.end(); i += s.step) {
#pragma omp task
      asm volatile("");
      part.mark();
    }
  }
}

// There is no team.
FORM alone(const Shape &s) {
  Part part;
#pragma omp for schedule(runtime)
  for (long i = s.first; i < s.end(); i += s.step)
    part.mark();
}

// There is a team of one.
FORM one(const Shape &s) {
#pragma omp parallel num_threads(1)
  {
    Part part;
#pragma omp for schedule(runtime)
    for (long i = s.first; i < s.end(); i += s.step)
      part.mark();
  }
}

// Two loops, each with what is left of the other one's threads.
FORM two(const Shape &s) {
#pragma omp parallel
  {
    Part first;
#pragma omp for schedule(runtime) nowait
    for (long i = s.first; i < s.end(); i += s.step)
      first.mark();
    Part second;
#pragma omp for schedule(guided)
    for (long i = 0; i < s.trips / 2; i++)
      second.mark();
  }
}

struct Form {
  const char *name;
  void (*run)(const Shape &);
  bool counted;
  unsigned long executions, iterations;
};

#define ROW(name)                                                                                  \
  { #name, name, true, 0, 0 }
#define UNCOUNTED(name)                                                                            \
  { #name, name, false, 0, 0 }
Form forms[] = {ROW(runtime_up),
                ROW(runtime_down),
                ROW(runtime_unsigned),
                ROW(runtime_combined),
                UNCOUNTED(dynamic_up),
                UNCOUNTED(dynamic_down),
                UNCOUNTED(dynamic_unsigned),
                UNCOUNTED(dynamic_combined),
                UNCOUNTED(guided),
                ROW(nested),
                ROW(tasks),
                ROW(alone),
                ROW(one),
                UNCOUNTED(two)};

// The first two are not counted.
const omp_sched_t kinds[] = {omp_sched_dynamic,
                             omp_sched_guided,
                             omp_sched_static,
                             omp_sched_auto,
                             omp_sched_t(ompx_amp_sched_aid_static),
                             omp_sched_t(ompx_amp_sched_aid_hybrid),
                             omp_sched_t(ompx_amp_sched_aid_dynamic)};

} // namespace

int main(int argc, char **argv) {
  if (argc != 3 && argc != 4)
    return 2;
  const bool counted = argc == 4;
  std::mt19937 random(std::atoi(argv[1]));
  const auto below = [&](unsigned n) { return random() % n; };
  omp_set_max_active_levels(2);
  for (int round = 0; round < std::atoi(argv[2]); round++) {
    const Shape shape = {long(below(2000)) - 1000, long(below(8) ? below(300) : below(30000)),
                         long(1 + below(7)), int(1 + below(9))};
    Form &form = forms[below(std::size(forms))];
    if (counted && !form.counted)
      continue;
    const omp_sched_t kind = kinds[below(std::size(kinds) - 2 * counted) + 2 * counted];
    // With a chunk this one is dynamic where the cores are alike.
    const bool whole = counted && kind == omp_sched_t(ompx_amp_sched_aid_dynamic);
    omp_set_schedule(kind, below(2) || whole ? 0 : int(1 + below(20)));
    form.run(shape);
    form.executions += executions.exchange(0);
    form.iterations += iterations.exchange(0);
  }
  for (const Form &form : forms)
    std::printf("%s %lu %lu\n", form.name, form.executions, form.iterations);
}
