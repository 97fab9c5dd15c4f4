// SPDX-License-Identifier: GPL-3.0-or-later
// Regions of a folded program whose threads wait for each other, or for something else, without
// OpenMP: each is right, and is folded no longer after some runs. Regions that compute, however
// long, stay folded. The argument is a case.
#include "life.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace {

// Whether a region was folded. Each Region is another one for the library.
template <int Region, typename Body> bool run(const Body &body) {
  int folded = 0;
#pragma omp parallel reduction(+ : folded)
  {
    folded += ompx_amp_get_num_workers() > 0;
    body();
  }
  return folded == omp_get_max_threads();
}

// Runs a region until it is not folded, and fails if it still is after so many times.
template <int Region, typename Body> void wear_out(int most, const Body &body) {
  int runs = 0;
  while (run<Region>(body))
    life::check(++runs < most, "region %d is folded after %d runs", Region, most);
  life::check(!run<Region>(body), "region %d is folded again", Region);
}

// Runs a region so many times, which has to be folded.
template <int Region, typename Body> void stays_folded(int times, const Body &body) {
  for (int time = 0; time < times; time++)
    life::check(run<Region>(body), "region %d is not folded in run %d", Region, time);
}

// A barrier of the program's own: those that come first wait as WAIT does.
class Meeting {
public:
  explicit Meeting(void (*wait)()) : wait_(wait) {}

  void meet() {
    const int round = round_;
    if (++arrived_ == omp_get_num_threads()) {
      arrived_ = 0;
      round_++;
    } else
      while (round_ == round)
        wait_();
  }

private:
  void (*const wait_)();
  std::atomic<int> arrived_{0}, round_{0};
};

// Threads write, meet, and read what the others wrote, so many times in a region.
void meet_by(void (*wait)(), int times, int most) {
  const size_t ids = size_t(omp_get_max_threads());
  std::vector<int> wrote(ids);
  Meeting meeting(wait);
  int done = 0;
  wear_out<0>(most, [&] {
    const size_t me = size_t(omp_get_thread_num());
    const int first = done;
    for (int time = first; time < first + times; time++) {
      wrote[me] = time;
      meeting.meet();
      for (const int one : wrote)
        life::check(one == time, "a thread went on before all had met");
      meeting.meet();
    }
    if (me == 0)
      done = first + times;
  });
}

void nothing() {}
void pause() {
#if defined __x86_64__ || defined __i386__
  __builtin_ia32_pause();
#endif
}
void yield() { sched_yield(); }
void sleep_briefly() { usleep(200); }

// Computes for so long, of the thread's own time.
void compute(double ms) {
  timespec begin = {}, now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  do {
    for (volatile int i = 0; i < 10000; i = i + 1)
      continue;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while (double(now.tv_sec - begin.tv_sec) * 1e3 + double(now.tv_nsec - begin.tv_nsec) * 1e-6 <
           ms);
}

// Computes until so long has passed.
void compute_by_clock(double ms) {
  const double end = omp_get_wtime() + ms * 1e-3;
  while (omp_get_wtime() < end)
    continue;
}

// Planes of a sweep: thread t begins one when thread t - 1 has done it, and on the way back when
// t + 1 has. As in NPB's LU.
void sweep() {
  struct alignas(64) Flag {
    std::atomic<int> done{0};
  };
  const int planes = 24;
  const size_t ids = size_t(omp_get_max_threads());
  std::vector<Flag> flags(ids);
  std::vector<int> last(planes + 1);
  wear_out<1>(300, [&] {
    const int me = omp_get_thread_num(), threads = omp_get_num_threads();
    for (const int step : {1, -1}) {
      flags[size_t(me)].done = 0;
#pragma omp barrier
      for (int plane = 1; plane <= planes; plane++) {
        const int before = me - step;
        const bool first = before < 0 || before >= threads;
        while (!first && flags[size_t(before)].done < plane)
          continue;
        life::check(first || last[size_t(plane)] == before, "plane %d is not in order", plane);
        last[size_t(plane)] = me;
        flags[size_t(me)].done = plane;
      }
#pragma omp barrier
    }
  });
}

void by_pthreads() {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, unsigned(omp_get_max_threads()));
  wear_out<2>(300, [&] {
    for (int round = 0; round < 3; round++)
      pthread_barrier_wait(&barrier);
  });
  pthread_barrier_destroy(&barrier);
}

void by_conditions() {
  std::mutex mutex;
  std::condition_variable changed;
  int turn = 0;
  wear_out<3>(300, [&] {
    std::unique_lock lock(mutex);
    // The last one first.
    changed.wait(lock, [&] { return turn == omp_get_num_threads() - 1 - omp_get_thread_num(); });
    turn = (turn + 1) % omp_get_num_threads();
    changed.notify_all();
  });
}

void sleepers() {
  wear_out<4>(100, [] { usleep(15000); });
}

// Those of one region wait, and those of another one do not.
void two_regions() {
  Meeting meeting(nothing);
  const auto waits = [&] { meeting.meet(); };
  const auto computes = [] { compute(2); };
  int runs = 0;
  while (run<7>(waits)) {
    life::check(run<8>(computes), "the other region is not folded");
    life::check(++runs < 300, "a region that waits stays folded");
  }
  life::check(run<8>(computes), "the other region is not folded at last");
}

void from_some_run_on() {
  Meeting meeting(nothing);
  int time = 0;
  const auto body = [&] {
    if (time < 50)
      compute(.2);
    else
      meeting.meet();
  };
  for (; time < 50; time++)
    life::check(run<9>(body), "not folded in run %d", time);
  wear_out<9>(300, body);
}

void long_ones_that_meet() {
  Meeting meeting(nothing);
  wear_out<10>(60, [&] {
    for (int round = 0; round < 2; round++) {
      compute(30);
      meeting.meet();
    }
  });
}

void computing() {
  stays_folded<11>(5, [] { compute(130); });
}

void by_the_clock() {
  stays_folded<12>(8, [] { compute_by_clock(160); });
}

void unlike() {
  stays_folded<13>(5, [] { compute(omp_get_thread_num() < omp_get_num_threads() / 2 ? 160 : 40); });
}

// A lock whose owner runs: nobody waits for a thread that does not.
void own_lock() {
  std::atomic<int> next{0}, served{0};
  long sum = 0;
  stays_folded<14>(40, [&] {
    for (int i = 0; i < 200; i++) {
      const int ticket = next++;
      while (served != ticket)
        continue;
      sum++;
      served = ticket + 1;
    }
  });
  life::check(sum == 40L * 200 * omp_get_max_threads(), "%ld", sum);
}

const struct {
  const char *name;
  void (*run)();
} kCases[] = {
    {"spin", [] { meet_by(nothing, 8, 60); }},
    {"pause", [] { meet_by(pause, 1, 60); }},
    {"yield", [] { meet_by(yield, 1, 60); }},
    {"usleep", [] { meet_by(sleep_briefly, 2, 300); }},
    {"sweep", sweep},
    {"pthreads", by_pthreads},
    {"conditions", by_conditions},
    {"sleepers", sleepers},
    {"two-regions", two_regions},
    {"later", from_some_run_on},
    {"long-meetings", long_ones_that_meet},
    {"computing", computing},
    {"clock", by_the_clock},
    {"unlike", unlike},
    {"lock", own_lock},
};

} // namespace

int main(int, char **argv) {
  life::ours();
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0 || CPU_COUNT(&mask) < 2)
    life::skip("one core");
    // The first region of a pool makes its threads.
#pragma omp parallel
  compute(0);
  for (const auto &one : kCases)
    if (std::strcmp(one.name, argv[1]) == 0) {
      one.run();
      return 0;
    }
  life::check(false, "no case %s", argv[1]);
}
