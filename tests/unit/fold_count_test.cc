// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the counts of folded teams: teams of one form are counted together, once each, and what
// workers count in may overflow.
#include "messages.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

extern "C" {
#include "fold/fold-count.h"
#include "fold/fold-pool.h"
#include "options/options.h"
}

// There are no pools.
extern "C" void gomp_fold_count_all(void) {}

namespace {

std::string printed() {
  char *text = nullptr;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  gomp_fold_print_counts(out);
  std::fclose(out);
  const std::string result(text, size);
  std::free(text);
  return result;
}

struct Team {
  unsigned first[3] = {0, 4, 6}, cpu[2] = {7, 3};
  gomp_fold_worker workers[2] = {};
  gomp_fold_watched watched[2] = {};
  gomp_fold_team team = {};
  gomp_fold_pool pool = {};

  Team() {
    team.ids = 6;
    team.first = first;
    team.count = gomp_fold_count_for(6, 2, first, cpu);
    pool.crew.workers = 2;
    pool.crew.worker = workers;
    pool.watched = watched;
    pool.team = &team;
  }
};

class FoldCount : public testing::Test {
protected:
  void SetUp() override { gomp_fold_forget_counts(); }
  void TearDown() override { gomp_fold_forget_counts(); }
};

TEST_F(FoldCount, TeamsOfOneFormAreCountedTogether) {
  Team one, other;
  EXPECT_EQ(one.team.count, other.team.count);
  one.workers[0].switches = 10;
  other.workers[1].switches = 3;
  other.workers[1].early = 1;
  gomp_fold_count_pool(&one.pool);
  gomp_fold_count_pool(&other.pool);
  const std::string all =
      R"([{"ids":6,"moves":0,"workers":[{"cpu":7,"ids":4,"switches":10,"early":0},)"
      R"({"cpu":3,"ids":2,"switches":3,"early":1}]}])";
  EXPECT_EQ(printed(), all);
  // What was counted is not counted again.
  gomp_fold_count_pool(&one.pool);
  gomp_fold_count_pool(&other.pool);
  EXPECT_EQ(printed(), all);
}

TEST_F(FoldCount, OtherSizesOrCpusAreOtherForms) {
  Team one;
  const unsigned seven[] = {0, 4, 7}, cpus[] = {7, 4};
  EXPECT_NE(one.team.count, gomp_fold_count_for(7, 2, seven, one.cpu));
  EXPECT_NE(one.team.count, gomp_fold_count_for(6, 2, one.first, cpus));
}

TEST_F(FoldCount, OtherRangesAreMoves) {
  Team one;
  const unsigned ranges[] = {0, 3, 6};
  EXPECT_EQ(one.team.count, gomp_fold_count_for(6, 2, ranges, one.cpu));
  EXPECT_EQ(one.team.count, gomp_fold_count_for(6, 2, ranges, one.cpu));
  EXPECT_EQ(printed(), R"([{"ids":6,"moves":1,"workers":[{"cpu":7,"ids":3,"switches":0,"early":0},)"
                       R"({"cpu":3,"ids":3,"switches":0,"early":0}]}])");
}

TEST_F(FoldCount, WhatWorkersCountInMayOverflow) {
  Team one;
  const unsigned step = 1U << 30;
  for (unsigned n = 1; n <= 12; n++) {
    // As the watching thread does.
    one.workers[0].switches = n * step;
    gomp_fold_count_pool(&one.pool);
  }
  const std::string switches = std::to_string(12ULL * step);
  EXPECT_NE(printed().find("\"switches\":" + switches + ","), std::string::npos) << printed();
}

TEST_F(FoldCount, PeopleSeeALineATeam) {
  Team one;
  one.workers[0].switches = 3;
  gomp_fold_count_pool(&one.pool);
  takeMessages();
  gomp_fold_finish();
  EXPECT_TRUE(takeMessages().empty()) << "nobody asked";
  gomp_fold_show_counts();
  gomp_fold_finish();
  const std::string line = "folded teams of 6 threads (4 on CPU 7, 2 on CPU 3): 3 switches, "
                           "0 early wakes, 0 moves";
  EXPECT_EQ(takeMessages(), std::vector<std::string>{line});
}

TEST_F(FoldCount, APipeThatIsNotReadDoesNotHoldTheEnd) {
  std::string name = ::testing::TempDir() + "fold-count-" + std::to_string(getpid());
  ASSERT_EQ(mkfifo(name.c_str(), 0600), 0);
  Team one;
  gomp_fold_count_pool(&one.pool);
  takeMessages();
  gomp_amp_options.fold_report = name.data();
  alarm(900);
  gomp_fold_finish();
  alarm(0);
  gomp_amp_options.fold_report = nullptr;
  unlink(name.c_str());
  const auto messages = takeMessages();
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_NE(messages[0].find("the report is lost"), std::string::npos) << messages[0];
}

TEST_F(FoldCount, WorkersWithAsManyIdsAreNamedTogether) {
  const unsigned cpu[] = {4, 5, 6, 0, 2}, first[] = {0, 2, 4, 6, 7, 8};
  gomp_fold_count_for(8, 5, first, cpu);
  takeMessages();
  gomp_fold_show_counts();
  gomp_fold_finish();
  const std::string line = "folded teams of 8 threads (2 on each of CPUs 4-6, 1 on each of CPUs "
                           "0,2): 0 switches, 0 early wakes, 0 moves";
  EXPECT_EQ(takeMessages(), std::vector<std::string>{line});
}

} // namespace
