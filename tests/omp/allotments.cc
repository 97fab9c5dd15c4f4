// SPDX-License-Identifier: GPL-3.0-or-later
// Which thread is given which iterations, removal by removal: threads ask in an order that the test
// dictates. Run with GOMP_AMP_THREAD_CLASSES=0,1 and, for the tests named Offline, GOMP_AID_SF=1:3.
#include <omp.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <string>
#include <thread>

#include "loops.h"

namespace {

constexpr long kTrips = 1000;

using Clock = std::chrono::steady_clock;

// One answer to one thread, and when the thread asked and got it.
struct Block {
  int thread;
  long first, count;
  Clock::time_point asked = {}, got = {};
  bool operator==(const Block &other) const {
    return thread == other.thread && first == other.first && count == other.count;
  }
};

std::ostream &operator<<(std::ostream &out, const Block &block) {
  return out << "thread " << block.thread << ": " << block.count << " from " << block.first;
}

// Thread `thread` asks for its next block after `pause`.
struct Turn {
  int thread;
  std::chrono::milliseconds pause{0};
};

// A loop of kTrips iterations in which the threads ask in the order of `turns`, then, from the
// highest number on, until there is nothing left. A block of no iterations is the answer that there
// are none.
std::vector<Block> play(omp_sched_t kind, int chunk, const std::vector<Turn> &turns,
                        int threads = 2) {
  omp_set_schedule(kind, chunk);
  std::vector<Block> answers;
  std::atomic<size_t> turn{0};
#pragma omp parallel num_threads(threads)
  {
    const int me = omp_get_thread_num();
    bool started = false;
    auto ask = [&] {
      long first = 0, last = 0;
      const Clock::time_point asked = Clock::now();
      const bool more = started ? GOMP_loop_nonmonotonic_runtime_next(&first, &last)
                                : GOMP_loop_nonmonotonic_runtime_start(0, kTrips, 1, &first, &last);
      started = true;
      answers.push_back({me, more ? first : 0, more ? last - first : 0, asked, Clock::now()});
      return more;
    };
    for (size_t i = 0; i < turns.size(); i++)
      if (turns[i].thread == me) {
        while (turn != i)
          std::this_thread::yield();
        std::this_thread::sleep_for(turns[i].pause);
        ask();
        turn++;
      }
    while (turn != turns.size() + threads - 1 - me)
      std::this_thread::yield();
    while (ask())
      ;
    turn++;
    GOMP_loop_end();
  }
  return answers;
}

std::vector<Block> begin(const std::vector<Block> &blocks, size_t length) {
  return {blocks.begin(), blocks.begin() + std::min(length, blocks.size())};
}

// How long the iterations of block number `index` took, which the thread's next question ends. The
// library measures the same, but that the thread may be preempted between its clock and ours.
double time_of(size_t index, const std::vector<Block> &blocks) {
  for (size_t next = index + 1; next < blocks.size(); next++)
    if (blocks[next].thread == blocks[index].thread)
      return std::chrono::duration<double>(blocks[next].asked - blocks[index].got).count();
  ADD_FAILURE() << "the thread of block " << index << " asks no more";
  return 1;
}

// Whether a count that has to be whole is as good as the real number `expected`.
bool near(long count, double expected) {
  return std::abs(double(count) - expected) <= 1 + 0.15 * expected;
}

long taken_by(int thread, const std::vector<Block> &blocks) {
  long sum = 0;
  for (const Block &block : blocks)
    sum += block.thread == thread ? block.count : 0;
  return sum;
}

const auto kStatic = omp_sched_t(ompx_amp_sched_aid_static);
const auto kHybrid = omp_sched_t(ompx_amp_sched_aid_hybrid);
const auto kDynamic = omp_sched_t(ompx_amp_sched_aid_dynamic);

// The first to come takes a chunk while the other is not there; then each gets what is due, less
// what it had. k = 1000 / (1 + 3) = 250. More than once: each loop begins again.
TEST(Offline, Static) {
  for (int round = 0; round < 5; round++)
    EXPECT_EQ(
        play(kStatic, 4, {{0}, {1}, {0}, {1}, {0}}),
        (std::vector<Block>{
            {0, 0, 4}, {1, 4, 750}, {0, 754, 246}, {1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 0, 0}}));
}

// A thread that has waited has less due to it. Once a quarter of the loop is gone, what is left is
// shared instead.
TEST(Offline, StaticLateThread) {
  std::vector<Turn> turns(70, Turn{0});
  turns.push_back({1});
  turns.push_back({0});
  const std::vector<Block> blocks = play(kStatic, 3, turns);
  EXPECT_EQ(blocks[69], (Block{0, 207, 3}));
  EXPECT_EQ(blocks[70], (Block{1, 210, 750}));
  EXPECT_EQ(blocks[71], (Block{0, 960, 40}));

  // 270 taken: k = 730 / 4 = 182.5.
  turns.insert(turns.begin(), 20, Turn{0});
  const std::vector<Block> late = play(kStatic, 3, turns);
  EXPECT_EQ(late[90], (Block{1, 270, 547}));
  EXPECT_EQ(late[91], (Block{0, 817, 182}));
}

// 80 percent of 1000 are allotted: 200 and 600. What is left goes chunk by chunk.
TEST(Offline, Hybrid) {
  const std::vector<Block> blocks = play(kHybrid, 4, {{1}, {0}, {1}, {0}, {1}, {0}});
  EXPECT_EQ(begin(blocks, 6),
            (std::vector<Block>{
                {1, 0, 4}, {0, 4, 200}, {1, 204, 596}, {0, 800, 4}, {1, 804, 4}, {0, 808, 4}}));
  EXPECT_EQ(taken_by(0, blocks) + taken_by(1, blocks), kTrips);
}

// m = 2, M = 5: phases of 5 and 3 * 5. A thread that is ahead takes m until the phase's last thread
// is done.
TEST(Offline, Dynamic) {
  const std::vector<Block> blocks = play(kDynamic, 2, {{0}, {1}, {0}, {1}, {1}, {0}, {1}});
  EXPECT_EQ(begin(blocks, 5),
            (std::vector<Block>{{0, 0, 2}, {1, 2, 15}, {0, 17, 5}, {1, 22, 2}, {1, 24, 2}}));
  // The last thread of the phase goes straight on to the next; the slowest class's part is always
  // M. The other's follows from the times.
  EXPECT_EQ(blocks[5], (Block{0, 26, 5}));
  EXPECT_EQ(blocks[6].first, 31);
  EXPECT_GE(blocks[6].count, 1);
  EXPECT_LE(blocks[6].count, 5 * 32);
  EXPECT_EQ(taken_by(0, blocks) + taken_by(1, blocks), kTrips);
}

// R follows the times of each phase alone: about 20 ms for the 5 iterations of phase 1 and 60 ms
// for the 15, so that R = 3 was three times too much; about 20 ms each in phase 2, so that R stays.
TEST(Offline, DynamicAdjusts) {
  using std::chrono::milliseconds;
  std::string tried;
  for (int attempt = 0; attempt < 8; attempt++) {
    const std::vector<Block> blocks = play(kDynamic, 1,
                                           {{0},
                                            {1},
                                            {0},
                                            {0, milliseconds(20)},
                                            {1, milliseconds(40)},
                                            {0},
                                            {0, milliseconds(20)},
                                            {1}});
    ASSERT_EQ(begin(blocks, 4),
              (std::vector<Block>{{0, 0, 1}, {1, 1, 15}, {0, 16, 5}, {0, 21, 1}}));
    ASSERT_EQ(blocks[5].count, 5);
    const double second = 3 * time_of(2, blocks) / time_of(1, blocks);
    const double third = second * time_of(5, blocks) / time_of(4, blocks);
    if (near(blocks[4].count, 5 * second) && near(blocks[7].count, 5 * third))
      return;
    tried += "\n" + std::to_string(blocks[4].count) + " for " + std::to_string(5 * second) + ", " +
             std::to_string(blocks[7].count) + " for " + std::to_string(5 * third);
  }
  ADD_FAILURE() << "the shares in phases 2 and 3 are not in the ratio of the times:" << tried;
}

// Three threads of classes 0, 1, 0: k = 1000 / (2 + 3) = 200.
TEST(Offline, StaticThreeThreads) {
  EXPECT_EQ(begin(play(kStatic, 1, {{2}, {1}, {0}, {1}, {2}}, 3), 5),
            (std::vector<Block>{{2, 0, 1}, {1, 1, 1}, {0, 2, 200}, {1, 202, 599}, {2, 801, 199}}));
}

// The slow thread's sample takes about three times as long; sleeps take longer on a loaded machine.
// The shares are in the ratio of the times, whatever that is.
void expect_ratio_of_times(omp_sched_t kind,
                           const std::function<double(const std::vector<Block> &)> &ratio) {
  std::string tried;
  for (int attempt = 0; attempt < 8; attempt++) {
    const std::vector<Block> blocks = play(kind, 5,
                                           {{0},
                                            {1},
                                            {1, std::chrono::milliseconds(20)},
                                            {0, std::chrono::milliseconds(40)},
                                            {1},
                                            {0}});
    // Both have sampled one chunk, and the fast one has taken another while waiting.
    ASSERT_EQ(begin(blocks, 3), (std::vector<Block>{{0, 0, 5}, {1, 5, 5}, {1, 10, 5}}));
    EXPECT_EQ(taken_by(0, blocks) + taken_by(1, blocks), kTrips);
    const double expected = time_of(0, blocks) / time_of(1, blocks), got = ratio(blocks);
    if (std::abs(got / expected - 1) < 0.15)
      return;
    tried += "\n" + std::to_string(got) + " for " + std::to_string(expected);
  }
  ADD_FAILURE() << "the shares are not in the ratio of the times:" << tried;
}

double ratio_in_aid_static(const std::vector<Block> &blocks) {
  const long slow = blocks[3].count + 5, fast = blocks[4].count + 10;
  EXPECT_NEAR(slow + fast, kTrips, 2);
  return double(fast) / double(slow);
}

TEST(Sampled, Static) { expect_ratio_of_times(kStatic, ratio_in_aid_static); }

TEST(Sampled, Hybrid) {
  expect_ratio_of_times(kHybrid, [](const std::vector<Block> &blocks) {
    const long slow = blocks[3].count + 5, fast = blocks[4].count + 10;
    EXPECT_NEAR(slow + fast, 800, 2);
    return double(fast) / double(slow);
  });
}

TEST(Sampled, Dynamic) {
  expect_ratio_of_times(kDynamic, [](const std::vector<Block> &blocks) {
    EXPECT_EQ(blocks[3].count, 5);
    return double(blocks[4].count) / double(blocks[3].count);
  });
}

// Milliseconds an iteration: a removal costs nothing beside them, and a thousand even themselves
// out, so that nothing is allotted. If what comes first after that is quicker, chunks get longer.
TEST(Sampled, LongIterationsAreDealtOut) {
  constexpr std::chrono::milliseconds kPause{5};
  const std::vector<Block> blocks =
      play(kHybrid, 0, {{0}, {1}, {0, kPause}, {1, kPause}, {0, kPause}, {1, kPause}, {0}});
  EXPECT_EQ(begin(blocks, 6),
            (std::vector<Block>{{0, 0, 1}, {1, 1, 1}, {0, 2, 1}, {1, 3, 1}, {0, 4, 1}, {1, 5, 1}}));
  EXPECT_EQ(taken_by(0, blocks) + taken_by(1, blocks), kTrips);
  // Two of three, as the thread may be preempted between the library's clock and ours.
  int quick = 0, longer = 0;
  for (int attempt = 0; attempt < 40 && quick < 3; attempt++) {
    const std::vector<Block> next = play(kHybrid, 0, {{0}, {1}, {0, kPause}, {1, kPause}, {1}});
    if (time_of(3, next) > 0.0005)
      continue; // on a loaded machine
    quick++;
    longer += next[4].count > 1;
  }
  if (quick < 3)
    GTEST_SKIP() << "the machine is too loaded: no thread asks twice within half a millisecond";
  EXPECT_GE(longer, 2);
}

// One thread is not there: chunk after chunk, and no allotment before it has come.
TEST(Sampled, NothingIsAllottedBeforeAllHaveSampled) {
  for (omp_sched_t kind : {kStatic, kHybrid, kDynamic}) {
    const std::vector<Block> blocks = play(kind, 5, std::vector<Turn>(200, Turn{0}));
    for (int i = 0; i < 200; i++)
      ASSERT_EQ(blocks[i], (Block{0, 5L * i, 5}));
    EXPECT_EQ(taken_by(1, blocks), 0);
    // Nothing of that is left over for the next loop on the same work share.
    expect_ratio_of_times(kStatic, ratio_in_aid_static);
  }
}

} // namespace
