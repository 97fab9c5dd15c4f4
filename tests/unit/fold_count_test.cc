// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the counts of folded teams: teams of one form are counted together, once each, and the
// few bits of a worker's word do not limit them.
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
  gomp_fold_team team = {};

  Team() {
    team.ids = 6;
    team.workers = 2;
    team.first = first;
    team.worker = workers;
    team.count = gomp_fold_count_for(6, 2, first, cpu);
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
  one.workers[0].word = 10 * GOMP_FOLD_EVENT + GOMP_FOLD_HELD;
  other.workers[1].word = 5 * GOMP_FOLD_EVENT;
  other.workers[1].count.tries = 2;
  other.workers[1].count.early = 1;
  gomp_fold_count_team(&one.team);
  gomp_fold_count_team(&other.team);
  const std::string all =
      R"([{"ids":6,"moves":0,"workers":[{"cpu":7,"ids":4,"switches":10,"early":0},)"
      R"({"cpu":3,"ids":2,"switches":3,"early":1}]}])";
  EXPECT_EQ(printed(), all);
  // What was counted is not counted again.
  gomp_fold_count_team(&one.team);
  gomp_fold_count_team(&other.team);
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

TEST_F(FoldCount, TheWordMayOverflow) {
  Team one;
  const unsigned step = 1u << 30;
  for (unsigned n = 1; n <= 12; n++)
    // As who watches does.
    gomp_fold_count_events(&one.workers[0], n * step + (n % 2 ? GOMP_FOLD_HELD : 0));
  gomp_fold_count_team(&one.team);
  const std::string switches = std::to_string(12ull * step / GOMP_FOLD_EVENT);
  EXPECT_NE(printed().find("\"switches\":" + switches + ","), std::string::npos) << printed();
}

TEST_F(FoldCount, PeopleSeeALineATeam) {
  Team one;
  one.workers[0].word = 3 * GOMP_FOLD_EVENT;
  gomp_fold_count_team(&one.team);
  takeMessages();
  gomp_fold_finish();
  EXPECT_TRUE(takeMessages().empty()) << "nobody asked";
  gomp_fold_show_counts();
  gomp_fold_finish();
  const std::string line = "folded teams of 6 threads (4 on CPU 7, 2 on CPU 3): 3 switches, "
                           "0 early wakes, 0 moves";
  EXPECT_EQ(takeMessages(), std::vector<std::string>{line});
}

TEST_F(FoldCount, PeopleAreToldOfShortTurns) {
  constexpr unsigned long long microsecond = 1000;
  for (const bool are_short : {false, true}) {
    gomp_fold_forget_counts();
    Team one;
    one.workers[0].word = 20000 * GOMP_FOLD_EVENT;
    gomp_fold_count_team(&one.team);
    // Two workers, so a turn of 12 us, and a thousand times as long.
    one.team.count->since -= 120000 * microsecond * (are_short ? 1 : 1000);
    takeMessages();
    gomp_fold_show_counts();
    gomp_fold_finish();
    const auto messages = takeMessages();
    ASSERT_EQ(messages.size(), are_short ? 2u : 1u);
    if (are_short) {
      EXPECT_NE(messages[1].find("less than 1"), std::string::npos) << messages[1];
    }
  }
}

TEST_F(FoldCount, APipeThatIsNotReadDoesNotHoldTheEnd) {
  std::string name = ::testing::TempDir() + "fold-count-" + std::to_string(getpid());
  ASSERT_EQ(mkfifo(name.c_str(), 0600), 0);
  Team one;
  gomp_fold_count_team(&one.team);
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
