// SPDX-License-Identifier: GPL-3.0-or-later
// What a program sees of the virtual machine that VIRTUAL_MACHINE names: its cores, who is on
// which, how fast it is there. To be run in virtual time on that machine; VIRTUAL_CORES lists the
// cores that the first threads are to be bound to, such as 2,3,0,1, if not to 0, 1, ...
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "work.h"

// What Fortran's omp_get_wtime is to the linker.
extern "C" double omp_get_wtime_(void);

namespace {

// The slowness of each core, in order, of a machine such as 2x3.0+2x1.0.
std::vector<double> slowness() {
  std::vector<double> cores;
  const char *text = std::getenv("VIRTUAL_MACHINE");
  int count, length;
  double speed, fastest = 0;
  while (text && std::sscanf(text, "%dx%lf%n", &count, &speed, &length) == 2) {
    fastest = std::max(fastest, speed);
    cores.insert(cores.end(), count, fastest / speed);
    text += length + (text[length] == '+');
  }
  return cores;
}

// The core that each thread of a team as large as the machine is to be on.
std::vector<int> cores_of_threads(int count) {
  std::vector<int> cores;
  const char *text = std::getenv("VIRTUAL_CORES");
  int core, length;
  while (text && std::sscanf(text, "%d%n", &core, &length) == 1) {
    cores.push_back(core);
    text += length + (text[length] == ',');
  }
  for (int i = int(cores.size()); i < count; i++)
    cores.push_back(i);
  return cores;
}

class Machine : public testing::Test {
protected:
  const std::vector<double> cores = slowness();
  const std::vector<int> core_of = cores_of_threads(int(cores.size()));
  void SetUp() override { ASSERT_FALSE(cores.empty()) << "VIRTUAL_MACHINE is not set"; }

  // The slowness of thread number `thread`.
  double expected(int thread) const { return cores[core_of[thread % cores.size()]]; }

  std::vector<double> expected_of_team() const {
    std::vector<double> team;
    for (int thread = 0; thread < int(cores.size()); thread++)
      team.push_back(expected(thread));
    return team;
  }
};

// How much slower than the fastest core the calling thread's is.
double own_slowness() {
  constexpr double seconds = 2e-3;
  const double begin = omp_get_wtime();
  work(seconds);
  return (omp_get_wtime() - begin) / seconds;
}

TEST_F(Machine, HasAsManyCoresAsItSays) {
  EXPECT_EQ(omp_get_num_procs(), int(cores.size()));
  EXPECT_EQ(omp_get_max_threads(), int(cores.size()));
  int threads = 0;
#pragma omp parallel
#pragma omp single
  threads = omp_get_num_threads();
  EXPECT_EQ(threads, int(cores.size()));
}

TEST_F(Machine, FortranReadsTheSameClock) {
  const double before = omp_get_wtime(), fortran = omp_get_wtime_(), after = omp_get_wtime();
  EXPECT_LE(before, fortran);
  EXPECT_LE(fortran, after);
  // The real clock counts from the machine's start, this one from the program's.
  EXPECT_LT(after, 60);
}

TEST_F(Machine, ChargesCpuTimeTimesSlowness) {
  std::vector<double> measured(cores.size());
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    measured[me] = own_slowness();
  }
  for (size_t thread = 0; thread < cores.size(); thread++)
    EXPECT_NEAR(measured[thread] / expected(int(thread)), 1, 0.001) << "thread " << thread;
}

// More threads than cores: thread i is on core i modulo the number of cores.
TEST_F(Machine, CoresAreGivenOutInTurn) {
  if (omp_get_num_places() > 0)
    GTEST_SKIP() << "the threads are bound: more of them than places share places as OpenMP says";
  const int threads = 2 * int(cores.size()) + 1;
  std::vector<double> measured(threads);
#pragma omp parallel num_threads(threads)
  {
    const int me = omp_get_thread_num();
    measured[me] = own_slowness();
  }
  for (int thread = 0; thread < threads; thread++)
    EXPECT_NEAR(measured[thread] / expected(thread), 1, 0.001) << "thread " << thread;
}

// Outside of any region it is thread 0 of a team of one.
TEST_F(Machine, SerialCodeIsOnTheFirstCore) { EXPECT_NEAR(own_slowness() / expected(0), 1, 0.001); }

// How many iterations of the same work, dealt out one by one, each thread runs.
std::vector<int> counts_of_dynamic(int trips, int threads) {
  std::vector<int> counts(threads, 0);
#pragma omp parallel num_threads(threads)
  {
    int own = 0;
#pragma omp for schedule(dynamic)
    for (int i = 0; i < trips; i++) {
      work(200e-6);
      own++;
    }
    counts[omp_get_thread_num()] = own;
  }
  return counts;
}

// Likewise of tasks.
std::vector<int> counts_of_tasks(int tasks, int threads) {
  std::vector<int> counts(threads, 0);
#pragma omp parallel num_threads(threads)
#pragma omp single
  for (int i = 0; i < tasks; i++) {
#pragma omp task shared(counts)
    {
      work(200e-6);
      counts[omp_get_thread_num()]++;
    }
  }
  return counts;
}

// Work is shared as the speeds are: nobody is ahead of another one by more than one piece.
void expect_shares_as_speeds(const std::vector<double> &slowness, const std::vector<int> &counts,
                             int pieces) {
  double capacity = 0;
  for (double slow : slowness)
    capacity += 1 / slow;
  for (size_t thread = 0; thread < slowness.size(); thread++)
    EXPECT_NEAR(counts[thread], pieces / slowness[thread] / capacity, 1) << "thread " << thread;
}

TEST_F(Machine, DynamicSharesAsSpeeds) {
  const int threads = int(cores.size()), pieces = 60 * threads;
  expect_shares_as_speeds(expected_of_team(), counts_of_dynamic(pieces, threads), pieces);
}

TEST_F(Machine, TasksAreSharedAsSpeeds) {
  const int threads = int(cores.size()), pieces = 60 * threads;
  expect_shares_as_speeds(expected_of_team(), counts_of_tasks(pieces, threads), pieces);
}

// A team as large as the machine after one that was larger: each thread has its core again.
TEST_F(Machine, AfterALargerTeam) {
#pragma omp parallel num_threads(2 * int(cores.size()) + 1)
  work(300e-6);
  const int threads = int(cores.size()), pieces = 60 * threads;
  expect_shares_as_speeds(expected_of_team(), counts_of_dynamic(pieces, threads), pieces);
}

TEST_F(Machine, PlacesAreItsCores) {
  if (omp_get_num_places() == 0)
    GTEST_SKIP() << "no places: neither OMP_PLACES nor GOMP_AMP_AFFINITY is set";
  std::vector<int> core(cores.size(), -1);
#pragma omp parallel
  {
    const int place = omp_get_place_num();
    std::vector<int> ids(place < 0 ? 0 : omp_get_place_num_procs(place));
    if (ids.size() == 1) {
      omp_get_place_proc_ids(place, ids.data());
      core[omp_get_thread_num()] = ids[0];
    }
  }
  EXPECT_EQ(core, core_of);
}

} // namespace
