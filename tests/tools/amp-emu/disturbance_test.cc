// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of what is called a disturbed run, with made-up counts and a made-up /proc.
#include "common/disturbance.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

namespace amp {

// What is made of a second on two CPUs that were busy with the run alone, but for CHANGE.
std::vector<std::string> judged(void (*change)(Counts &), bool serial = false) {
  Counts before, after;
  before.loops = after.loops = {1, 1};
  after.clock = 1;
  after.busy = after.own = 2;
  change(after);
  return judge(before, after, 2, serial);
}

TEST(Disturbance, IsNotSeenInAQuietRun) {
  EXPECT_TRUE(judged([](Counts &) {}).empty());
  EXPECT_TRUE(judged([](Counts &after) {
                after.stolen = 0.015;
                after.own = 1.95;
                after.loops = {1.03, 0.97};
                after.switches = 20;
              }).empty());
}

TEST(Disturbance, IsSeenInEachOfTheCounts) {
  EXPECT_EQ(judged([](Counts &after) { after.stolen = 0.05; }),
            std::vector<std::string>{"50 ms stolen by the host"});
  EXPECT_EQ(judged([](Counts &after) { after.own = 1.5; }),
            std::vector<std::string>{"other programs ran for 500 ms"});
  EXPECT_EQ(judged([](Counts &after) { after.loops[1] = 1.2; }),
            std::vector<std::string>{"a fixed loop took 20 % longer afterwards"});
  const auto switched = [](Counts &after) { after.switches = 200; };
  EXPECT_EQ(judged(switched, true), std::vector<std::string>{"200 involuntary switches"});
  EXPECT_TRUE(judged(switched).empty());
}

TEST(Disturbance, CountsOnlyTheCpusOfTheRun) {
  const double tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  Counts counts;
  read_cpu_times("cpu  9 9 9 9 9 9 9 9 0 0\n"
                 "cpu0 1000 1 1 1 1 1 1 1000 0 0\n"
                 "cpu1 10 20 30 999 999 999 999 7 0 0\n"
                 "cpu11 1000 1 1 1 1 1 1 1000 0 0\n"
                 "intr 1 2 3\n",
                 {1}, counts);
  EXPECT_DOUBLE_EQ(counts.busy, 60 * tick);
  EXPECT_DOUBLE_EQ(counts.stolen, 7 * tick);
}

// A directory in /proc's place, on the CPU that this test runs on.
class MadeUpProc : public testing::Test {
protected:
  void SetUp() override { ASSERT_NE(mkdtemp(directory_), nullptr); }
  void TearDown() override {
    std::remove(file().c_str());
    rmdir(directory_);
  }
  std::string file() const { return std::string(directory_) + "/stat"; }
  void write(int stolen) const {
    std::ofstream(file()) << "cpu" << cpu_ << " 0 0 0 0 0 0 0 " << stolen << " 0 0\n";
  }
  int cpu_ = sched_getcpu();
  char directory_[32] = "/tmp/amp-proc-XXXXXX";
};

TEST_F(MadeUpProc, IsReadBeforeAndAfter) {
  write(100);
  Watch watch({cpu_}, false, directory_);
  watch.begin();
  write(200);
  const auto found = watch.end();
  ASSERT_FALSE(found.empty());
  EXPECT_NE(found.front().find("ms stolen"), std::string::npos) << found.front();
}

TEST_F(MadeUpProc, RunsAreRepeatedWhileTheyAreDisturbed) {
  int stolen = 0, calls = 0;
  const auto run_with = [&](int disturbed_runs, int repeat, int status) {
    calls = 0;
    const auto run = [&] {
      write(stolen += ++calls <= disturbed_runs ? 100 : 0);
      return status;
    };
    write(stolen);
    return run_watched("test", Watch({cpu_}, false, directory_), repeat, true, run,
                       [](std::vector<std::string> &) {});
  };
  EXPECT_EQ(run_with(9, 2, 0).runs, 3);
  EXPECT_FALSE(run_with(9, 2, 0).disturbed.empty());
  EXPECT_EQ(run_with(9, 0, 0).runs, 1);
  EXPECT_EQ(run_with(9, 2, 7).runs, 1); // it failed, and would again
  EXPECT_EQ(run_with(9, 2, 7).status, 7);
}

TEST(Disturbance, OfWhatIsMeasuredAfterwardsCounts) {
  int calls = 0;
  const WatchedRun run = run_watched(
      "test", Watch(allowed_cpus(), false, "/nonexistent"), 1, true, [] { return 0; },
      [&](std::vector<std::string> &disturbed) {
        ++calls;
        disturbed.push_back("it is slower");
      });
  EXPECT_EQ(run.runs, 2);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(run.disturbed.back(), "it is slower");
}

} // namespace amp
