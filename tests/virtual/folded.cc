// SPDX-License-Identifier: GPL-3.0-or-later
// Folded teams in virtual time: which id is on which core, that of a worker's ids one runs at a
// time, what it costs to pick up an id, and how long static loops take. To be run in virtual time
// on VIRTUAL_MACHINE, with GOMP_AMP_FOLD; VIRTUAL_IDS says how many ids each core is to have, such
// as 6,6,2,2, and GOMP_AMP_VIRTUAL_SWITCH_NS is set.
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#include "ompx_amp.h"
#include "work.h"

// The linker finds the system's libgomp, which does not have it.
#pragma weak ompx_amp_get_thread_class
#pragma weak ompx_amp_get_worker_num

namespace {

// A core: its slowness, how many ids its worker is to have, and those that it has.
struct Worker {
  double slowness;
  int wanted;
  std::vector<int> id;
  int ids() const { return int(id.size()); }
};

std::vector<Worker> read_workers() {
  std::vector<Worker> workers;
  const char *machine = std::getenv("VIRTUAL_MACHINE"), *ids = std::getenv("VIRTUAL_IDS");
  int count, length, of_core;
  double speed, fastest = 0;
  while (machine && std::sscanf(machine, "%dx%lf%n", &count, &speed, &length) == 2) {
    fastest = std::max(fastest, speed);
    for (; count > 0 && ids && std::sscanf(ids, "%d", &of_core) == 1; count--) {
      workers.push_back({fastest / speed, of_core, {}});
      while (*ids >= '0' && *ids <= '9')
        ids++;
      ids += *ids == ',';
    }
    machine += length + (machine[length] == '+');
  }
  return workers;
}

// How long it takes to pick up an id.
double switch_seconds() {
  const char *text = std::getenv("GOMP_AMP_VIRTUAL_SWITCH_NS");
  return text ? std::atof(text) * 1e-9 : 0;
}

class Folded : public testing::Test {
protected:
  std::vector<Worker> workers = read_workers();
  int size = 0;

  void SetUp() override {
    for (const Worker &worker : workers)
      size += worker.wanted;
    ASSERT_GT(size, 0) << "VIRTUAL_MACHINE or VIRTUAL_IDS is not set";
    ASSERT_EQ(omp_get_max_threads(), size);
    std::vector<int> worker(size);
#pragma omp parallel
    worker[omp_get_thread_num()] = ompx_amp_get_worker_num();
    for (int id = 0; id < size; id++)
      // A team that is not folded has no workers.
      workers.at(size_t(worker[id] < 0 ? id : worker[id])).id.push_back(id);
    for (size_t w = 0; w < workers.size(); w++)
      ASSERT_EQ(workers[w].ids(), workers[w].wanted) << "worker " << w;
  }

  // How fast all cores are together, in fastest cores.
  double capacity() const {
    double sum = 0;
    for (const Worker &worker : workers)
      sum += 1 / worker.slowness;
    return sum;
  }
};

// From when to when the threads of a team were in some work.
struct Span {
  double begin, end;
};

TEST_F(Folded, IdsAreOnTheCoresOfTheirWorkers) {
  std::vector<double> slowness(size);
  std::vector<int> core_class(size);
#pragma omp parallel
  {
    const int id = omp_get_thread_num();
    double best = std::numeric_limits<double>::max();
    // What interrupts a thread can only make it look slower.
    for (int attempt = 0; attempt < 5; attempt++) {
      const double begin = omp_get_wtime(), cpu_begin = work_seconds();
      work(1e-3);
      const double cpu = work_seconds() - cpu_begin;
      best = std::min(best, (omp_get_wtime() - begin) / cpu);
    }
    slowness[id] = best;
    core_class[id] = ompx_amp_get_thread_class();
  }
  for (const Worker &worker : workers)
    for (const int id : worker.id) {
      EXPECT_NEAR(slowness[id], worker.slowness, .05 * worker.slowness) << "id " << id;
      EXPECT_EQ(core_class[id] == 0, worker.slowness == workers.back().slowness) << "id " << id;
    }
}

TEST_F(Folded, OneOfAWorkersIdsRunsAtATime) {
  const double change = switch_seconds();
  for (int round = 0; round < 5; round++) {
    std::vector<Span> spans(size);
#pragma omp parallel
    {
      Span &span = spans[omp_get_thread_num()];
      span.begin = omp_get_wtime();
      work(50e-6 * (1 + omp_get_thread_num() % 3));
      span.end = omp_get_wtime();
    }
    for (const Worker &worker : workers) {
      std::vector<Span> own;
      for (const int id : worker.id)
        own.push_back(spans[id]);
      std::sort(own.begin(), own.end(),
                [](const Span &a, const Span &b) { return a.begin < b.begin; });
      for (size_t n = 0; n + 1 < own.size(); n++)
        EXPECT_GE(own[n + 1].begin - own[n].end, .999 * change * worker.slowness)
            << "a worker of slowness " << worker.slowness << ", its id number " << n;
    }
  }
}

// The time of the quickest of ROUNDS regions. Other load can only add to it.
template <typename Region> double quickest(int rounds, const Region &region) {
  double best = std::numeric_limits<double>::max();
  for (int round = 0; round < rounds; round++) {
    const double begin = omp_get_wtime();
    region();
    best = std::min(best, omp_get_wtime() - begin);
  }
  return best;
}

TEST_F(Folded, AUniformStaticLoopTakesTheTimeOfItsLastWorker) {
  const double iteration = 100e-6;
  const int each = 40, iterations = each * size;
  double last = 0;
  for (const Worker &worker : workers) {
    const double changes = worker.ids() * switch_seconds();
    last = std::max(last, worker.slowness * (worker.ids() * each * iteration + changes));
  }
  const double seconds = quickest(6, [&] {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < iterations; i++)
      work(iteration);
  });
  const double share = iterations * iteration / capacity() / seconds;
  std::printf("share of the bound: %.3f\n", share);
  // One id more on a worker would be a sixth.
  EXPECT_NEAR(seconds / last, 1, .1);
  const char *least = std::getenv("VIRTUAL_SHARE");
  EXPECT_GE(share, least ? std::atof(least) : 0);
}

TEST_F(Folded, WhoRunsBesideTheCarrierSharesTheCore) {
  // Longer than the 200 ms after which an id is woken early because another burns CPU.
  const double each = .25;
  double last = 0;
  for (const Worker &worker : workers)
    last = std::max(last, worker.slowness * worker.ids() * each);
  const double seconds = quickest(1, [&] {
#pragma omp parallel
    work(each);
  });
  EXPECT_GE(seconds, .999 * last);
}

TEST_F(Folded, NowaitChainsAndBarriersAreAsEver) {
  const int iterations = 10 * size + 3, rounds = 20;
  std::vector<int> first(iterations), second(iterations), done(size);
  int wrong = 0;
#pragma omp parallel reduction(+ : wrong)
  for (int round = 1; round <= rounds; round++) {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < iterations; i++)
      first[i]++;
#pragma omp for schedule(static) nowait
    for (int i = 0; i < iterations; i++) {
      wrong += first[i] != round;
      second[i]++;
    }
    done[omp_get_thread_num()] = round;
#pragma omp barrier
    for (int id = 0; id < omp_get_num_threads(); id++)
      wrong += done[id] != round;
#pragma omp barrier
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(std::count(second.begin(), second.end(), rounds), iterations);
}

TEST_F(Folded, OrderedLoopsAndTasksAreAsEver) {
  int next = 0, wrong = 0, tasks = 0;
#pragma omp parallel
  {
#pragma omp for ordered schedule(static, 1)
    for (int i = 0; i < 3 * size; i++) {
#pragma omp ordered
      wrong += next++ != i;
    }
#pragma omp single
    for (int i = 0; i < 5 * size; i++) {
#pragma omp task shared(tasks)
      {
        work(5e-6);
#pragma omp atomic
        tasks++;
      }
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(next, 3 * size);
  EXPECT_EQ(tasks, 5 * size);
}

TEST_F(Folded, WhoWaitsForMemoryIsOvertaken) {
  const Worker &worker =
      *std::max_element(workers.begin(), workers.end(),
                        [](const Worker &a, const Worker &b) { return a.ids() < b.ids(); });
  if (worker.ids() < 2)
    GTEST_SKIP() << "each worker has one id";
  int arrived = 0;
#pragma omp parallel
  {
    const int id = omp_get_thread_num();
    if (id == worker.id[0] || id == worker.id[1]) {
      __atomic_fetch_add(&arrived, 1, __ATOMIC_RELEASE);
      while (__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) != 2)
        ;
    }
  }
  EXPECT_EQ(arrived, 2);
}

} // namespace
