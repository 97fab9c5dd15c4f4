// SPDX-License-Identifier: GPL-3.0-or-later
// Which schedule a loop runs under: omp_set_schedule, the defaults of routed and plain loops,
// one-class teams, and who gets how much. Run with GOMP_AMP_THREAD_CLASSES=0,0,1 and no
// OMP_SCHEDULE: a team of two is of one class, a team of three is not.
#include <omp.h>

#include <chrono>
#include <cstdlib>
#include <functional>

#include "loops.h"

namespace {

using Owners = std::vector<int>;

void spin(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end)
    ;
}

Owners owners_of_routed(
    int trips, int threads, std::function<void()> body = [] {}) {
  Owners owners(trips, -1);
#pragma omp parallel num_threads(threads)
#pragma omp for schedule(nonmonotonic : runtime)
  for (int i = 0; i < trips; i++) {
    owners[i] = omp_get_thread_num();
    body();
  }
  return owners;
}

Owners owners_of_static(int trips, int threads) {
  Owners owners(trips, -1);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int i = 0; i < trips; i++)
    owners[i] = omp_get_thread_num();
  return owners;
}

int blocks(const Owners &owners) {
  int count = 1;
  for (size_t i = 1; i < owners.size(); i++)
    count += owners[i] != owners[i - 1];
  return count;
}

struct Schedule {
  omp_sched_t kind;
  int chunk;
  bool operator==(const Schedule &other) const {
    return kind == other.kind && chunk == other.chunk;
  }
};

Schedule current() {
  Schedule now;
  omp_get_schedule(&now.kind, &now.chunk);
  return now;
}

class Schedules : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(std::getenv("OMP_SCHEDULE"), nullptr);
    ASSERT_STREQ(std::getenv("GOMP_AMP_THREAD_CLASSES"), "0,0,1");
  }
};

// First, before any test sets a schedule: the ICV can't be unset again.
TEST_F(Schedules, AUnsetKeepsUpstreamsDefault) {
  EXPECT_TRUE((current() == Schedule{omp_sched_dynamic, 1}));
  // dynamic,1: while a thread is in one long iteration, the others take the next ones, one by one.
  Owners owners(60, -1);
#pragma omp parallel num_threads(3)
#pragma omp for schedule(runtime)
  for (int i = 0; i < 60; i++) {
    owners[i] = omp_get_thread_num();
    if (i == 0) {
      // Until another thread has come as far as iteration 30, which no allotment of this thread
      // holds.
      const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      int seen;
      do {
#pragma omp atomic read
        seen = owners[59];
      } while (seen < 0 && std::chrono::steady_clock::now() < limit);
      EXPECT_GE(seen, 0) << "nobody else ran the rest: not dynamic,1";
    }
  }
  EXPECT_EQ(std::count(owners.begin(), owners.end(), owners[0]), 1);
}

TEST_F(Schedules, AUnsetRoutedIsStaticOnOneClass) {
  for (int trips : {1, 2, 7, 1000, 1001}) {
    EXPECT_EQ(owners_of_routed(trips, 2), owners_of_static(trips, 2));
    EXPECT_EQ(owners_of_routed(trips, 1), owners_of_static(trips, 1));
  }
}

// On the asymmetric team the thread of the big class does more, if it is faster in this loop: here
// the others' iterations take five times as long. A loaded machine may spoil a sample; not ten in a
// row.
void expect_bigger_share(const char *what) {
  int most = 0;
  for (int attempt = 0; attempt < 10; attempt++) {
    Owners owners = owners_of_routed(
        600, 3, [] { spin(std::chrono::microseconds(omp_get_thread_num() == 2 ? 10 : 50)); });
    most = std::max(most, int(std::count(owners.begin(), owners.end(), 2)));
    // Its due is 5/7 of 600 = 428 if each thread has a core; half of that time if they share two.
    if (most > 300)
      return;
  }
  ADD_FAILURE() << what << ": the big core ran at most " << most << " of 600 iterations";
}

TEST_F(Schedules, AUnsetRoutedIsHybridOnTwoClasses) {
  // One uneven allotment per thread and a tail, not iteration by iteration as dynamic,1 would be.
  expect_bigger_share("unset");
  // A thread that is preempted while it is timed takes short chunks.
  int fewest = 100000;
  for (int attempt = 0; attempt < 10 && fewest >= 2000; attempt++) {
    const Owners owners = owners_of_routed(100000, 3);
    fewest = std::min(fewest, blocks(owners));
    EXPECT_NE(owners, owners_of_static(100000, 3));
  }
  EXPECT_LT(fewest, 2000);
}

TEST_F(Schedules, AidFindsTheBigCore) {
  for (const Kind &kind : kKinds)
    if (kind.value & 0x40000000) {
      omp_set_schedule(kind.value, 0);
      expect_bigger_share(kind.name);
    }
}

TEST_F(Schedules, OneClassIsStatic) {
  for (omp_sched_t kind :
       {omp_sched_t(ompx_amp_sched_aid_static), omp_sched_t(ompx_amp_sched_aid_hybrid)})
    for (int chunk : {0, 4}) {
      omp_set_schedule(kind, chunk);
      EXPECT_EQ(owners_of_routed(1003, 2), owners_of_static(1003, 2));
    }
}

TEST_F(Schedules, SetAndGet) {
  for (const Kind &kind : kKinds) {
    omp_set_schedule(kind.value, 17);
    EXPECT_TRUE((current() == Schedule{kind.value, 17})) << kind.name;
    const auto monotonic = omp_sched_t(kind.value | omp_sched_monotonic);
    omp_set_schedule(monotonic, 18);
    EXPECT_TRUE((current() == Schedule{monotonic, 18})) << kind.name;
  }
  const Schedule before = current();
  for (unsigned bad : {0x40000000u, 0x40000004u, 0x40000005u, 0x40000010u, 0x40000011u, 0x400000ffu,
                       0x41000001u, 99u}) {
    omp_set_schedule(omp_sched_t(bad), 3);
    EXPECT_TRUE(current() == before) << std::hex << bad;
  }
  omp_set_schedule(omp_sched_t(ompx_amp_sched_aid_hybrid), -5);
  EXPECT_TRUE((current() == Schedule{omp_sched_t(ompx_amp_sched_aid_hybrid), 0}));
}

TEST_F(Schedules, InheritedByTasksAndRegions) {
  omp_set_schedule(omp_sched_t(ompx_amp_sched_aid_dynamic), 6);
  bool same = true;
#pragma omp parallel num_threads(3) reduction(&& : same)
  same = same && current() == Schedule{omp_sched_t(ompx_amp_sched_aid_dynamic), 6};
  EXPECT_TRUE(same);
}

TEST_F(Schedules, ChunkedStaticMapsLikeUpstreams) {
  for (int chunk : {1, 7, 400, 5000})
    for (int threads : {1, 2, 3, 5}) {
      omp_set_schedule(omp_sched_static, chunk);
      Owners expected(1003);
      for (int i = 0; i < 1003; i++)
        expected[i] = i / chunk % threads;
      EXPECT_EQ(owners_of_routed(1003, threads), expected) << chunk << " by " << threads;
    }
}

} // namespace
