// SPDX-License-Identifier: GPL-3.0-or-later
// Tests which cores MPI ranks get: by hand, and on random machines against the rules of ranks.h.
#include "amp-info/ranks.h"
#include "amp-info/report.h"
#include "common/command.h"

#include <algorithm>
#include <climits>
#include <gtest/gtest.h>
#include <random>

using amp::Core;
using amp::CpuList;
using amp::share_cores;

namespace {

struct Kind {
  int count, cls, capacity;
};

// Cores of one CPU each, numbered from 0.
std::vector<Core> cores_of(const std::vector<Kind> &kinds) {
  std::vector<Core> cores;
  for (const Kind &kind : kinds)
    for (int i = 0; i < kind.count; ++i) {
      const int number = static_cast<int>(cores.size());
      cores.push_back({{number}, kind.cls, kind.capacity, number});
    }
  return cores;
}

// The CPUs of each rank: "0-1,4-5 2-3,6-7".
std::string shared(const std::vector<Core> &cores, int ranks) {
  std::string text;
  for (const amp::RankShare &share : share_cores(cores, ranks))
    text += (text.empty() ? "" : " ") + amp::format_cpu_list(share.cpus);
  return text;
}

const std::vector<Core> a = cores_of({{4, 1, 1024}, {4, 0, 341}});

// Two P cores of two hardware threads each, and two E cores. CPU 3 may not be used.
const std::vector<Core> hybrid{
    {{0, 1}, 1, 1024, 0}, {{2}, 1, 1024, 1}, {{4}, 0, 512, 2}, {{5}, 0, 512, 3}};

} // namespace

TEST(ShareCores, EvenCapacity) {
  EXPECT_EQ(shared(a, 1), "0-7");
  EXPECT_EQ(shared(a, 2), "0-1,4-5 2-3,6-7");
  EXPECT_EQ(shared(a, 3), "0-1 2,4-5 3,6-7");
  EXPECT_EQ(shared(a, 4), "0,4 1,5 2,6 3,7");
  EXPECT_EQ(shared(a, 5), "0 1 2 3 4-7");
  EXPECT_EQ(shared(a, 8), "0 1 2 3 4 5 6 7");
}

TEST(ShareCores, AFastCoreIsWorthSeveralSlowOnes) {
  EXPECT_EQ(shared(cores_of({{1, 1, 1024}, {3, 0, 341}}), 2), "0 1-3");
  EXPECT_EQ(shared(cores_of({{1, 2, 1024}, {3, 1, 512}, {4, 0, 256}}), 2), "0-1,4 2-3,5-7");
}

TEST(ShareCores, SlowCoresMayComeFirst) {
  EXPECT_EQ(shared(cores_of({{4, 0, 341}, {4, 1, 1024}}), 2), "0-1,4-5 2-3,6-7");
}

TEST(ShareCores, UnknownCapacities) {
  EXPECT_EQ(shared(cores_of({{4, 1, 0}, {4, 0, 0}}), 2), "0-1,4-5 2-3,6-7");
  // A rank with more fast cores has fewer slow ones.
  EXPECT_EQ(shared(cores_of({{3, 1, 0}, {3, 0, 0}}), 2), "0-1,3 2,4-5");
  EXPECT_EQ(share_cores(cores_of({{4, 1, 0}, {4, 0, 0}}), 2)[0].capacity, 0);
}

TEST(ShareCores, HardwareThreadsStayTogetherWhileThereAreCores) {
  EXPECT_EQ(shared(hybrid, 2), "0-1,4 2,5");
  EXPECT_EQ(shared(hybrid, 4), "0-1 2 4 5");
  EXPECT_EQ(shared(hybrid, 5), "2 0 1 4 5");
  EXPECT_EQ(share_cores(hybrid, 2)[0].cores, (std::vector<int>{0, 2}));
  EXPECT_TRUE(share_cores(hybrid, 5)[0].cores.empty());
}

TEST(ShareCores, MoreRanksThanCpus) {
  try {
    share_cores(hybrid, 6);
    FAIL();
  } catch (const amp::Failure &failure) {
    EXPECT_STREQ(failure.what(),
                 "--ranks=6: expected at most 5, the number of CPUs that may be used");
  }
}

TEST(ShareCores, RandomMachines) {
  std::mt19937 random(1);
  const auto number = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  for (int round = 0; round < 20000; ++round) {
    std::vector<Core> cores;
    std::vector<int> capacity(static_cast<std::size_t>(number(1, 4)));
    for (int &value : capacity)
      value = number(1, 1024);
    std::sort(capacity.begin(), capacity.end());
    int cpu = 0;
    for (int left = number(1, 24); left > 0; --left) {
      const int cls = number(0, static_cast<int>(capacity.size()) - 1);
      Core core{{}, cls, capacity[static_cast<std::size_t>(cls)], static_cast<int>(cores.size())};
      for (int threads = number(1, 2); threads > 0; --threads)
        core.cpus.push_back(cpu++);
      cores.push_back(core);
    }
    const int ranks = number(1, static_cast<int>(cores.size()));
    const auto shares = share_cores(cores, ranks);
    ASSERT_EQ(shares.size(), static_cast<std::size_t>(ranks));

    std::vector<int> owners(static_cast<std::size_t>(cpu));
    int least = INT_MAX;
    for (const auto &share : shares)
      least = std::min(least, share.capacity);
    for (const auto &share : shares) {
      ASSERT_FALSE(share.cores.empty());
      CpuList cpus;
      int sum = 0, slowest = INT_MAX;
      for (const int index : share.cores) {
        const Core &core = cores[static_cast<std::size_t>(index)];
        cpus.insert(cpus.end(), core.cpus.begin(), core.cpus.end());
        sum += core.capacity;
        slowest = std::min(slowest, core.capacity);
      }
      EXPECT_EQ(share.cpus, cpus);
      EXPECT_EQ(share.capacity, sum);
      EXPECT_LE(share.capacity - least, slowest);
      for (const int owned : cpus)
        ++owners[static_cast<std::size_t>(owned)];
    }
    EXPECT_EQ(std::count(owners.begin(), owners.end(), 1), cpu) << "a core without one owner";
  }
}

TEST(RankFiles, Mpich) {
  EXPECT_EQ(mpich_binding(share_cores(a, 3)), "user:0+1,2+4+5,3+6+7");
  EXPECT_EQ(mpich_binding(share_cores(hybrid, 5)), "user:2,0,1,4,5");
}

TEST(RankFiles, OpenMpiCountsCores) {
  EXPECT_EQ(openmpi_rank_file(share_cores(hybrid, 2)),
            "rank 0=localhost slot=0,2\nrank 1=localhost slot=1,3\n");
  EXPECT_THROW(openmpi_rank_file(share_cores(hybrid, 5)), amp::Failure);
}

TEST(UsableCores, NumbersCountCoresOutsideOfTheMask) {
  amp::Report report;
  report.classes = {{1, 1024, {2, 3}}, {0, 512, {5}}};
  report.cores = {{2, 3}, {5}};
  report.core_numbers = {1, 3};
  report.excluded = {0, 1, 4};
  EXPECT_EQ(openmpi_rank_file(share_cores(usable_cores(report), 2)),
            "rank 0=localhost slot=1\nrank 1=localhost slot=3\n");
  // The kernel does not say which CPUs are of one core.
  report.cores.clear();
  EXPECT_EQ(openmpi_rank_file(share_cores(usable_cores(report), 3)),
            "rank 0=localhost slot=2\nrank 1=localhost slot=3\nrank 2=localhost slot=5\n");
}
