// SPDX-License-Identifier: GPL-3.0-or-later
// What can happen to a sample, in simulated time: the loop completes, soon enough beside dynamic,
// and nobody is given more than makes sense.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "simulation.h"

namespace {

using model::Fault;
using model::Loop;
using model::Outcome;

constexpr double kMicro = 1e3, kMilli = 1e6, kSecond = 1e9;

struct Kind {
  int kind;
  const char *name;
};

const Kind kKinds[] = {{GFS_AID_STATIC, "aid_static"},
                       {GFS_AID_HYBRID, "aid_hybrid"},
                       {GFS_AID_DYNAMIC, "aid_dynamic"}};

// Threads on cores of these classes and speeds.
struct Machine {
  std::vector<unsigned> classes;
  std::vector<double> speeds;
};

const Machine kMachines[] = {
    {{0, 1}, {1, 1}},
    {{0, 1}, {1, 1.5}},
    {{0, 1}, {1, 3}},
    {{0, 1}, {1, 6}},
    {{0, 0, 0, 0, 1, 1, 1, 1}, {1, 1, 1, 1, 1.5, 1.5, 1.5, 1.5}},
    {{0, 0, 0, 0, 1, 1, 1, 1}, {1, 1, 1, 1, 3, 3, 3, 3}},
    {{0, 0, 0, 0, 1, 1, 1, 2}, {1, 1, 1, 1, 2, 2, 2, 3}},
};

Loop make_loop(const Machine &machine, int kind, gomp_aid_count chunk, double cost,
               gomp_aid_count ni) {
  Loop loop;
  loop.setting.kind = kind;
  loop.setting.ni = ni;
  loop.setting.chunk = chunk;
  loop.setting.classes = machine.classes;
  loop.speeds = machine.speeds;
  loop.cost = [cost](gomp_aid_count) { return cost; };
  return loop;
}

// Calls `visit` with loops of all kinds, chunks, lengths and machines: sixteen iterations for each
// thread or more, half a second at most.
template <typename Visit> void each_loop(const Visit &visit) {
  for (const Machine &machine : kMachines)
    for (const Kind &kind : kKinds)
      for (gomp_aid_count chunk : {0, 1, 4})
        for (double cost : {50.0, kMicro, 20 * kMicro, kMilli})
          for (gomp_aid_count ni : {128, 1000, 30000})
            if (cost * ni < 0.5 * kSecond) {
              SCOPED_TRACE(testing::Message()
                           << kind.name << ", chunk " << chunk << ", " << ni << " iterations of "
                           << cost << " ns, " << machine.speeds.size()
                           << " threads, the last at speed " << machine.speeds.back());
              visit(make_loop(machine, kind.kind, chunk, cost, ni));
            }
}

// The loop ends within one and a half of what dynamic takes, and no thread runs twice the
// iterations that its speed deserves beside the threads that are not in trouble.
void expect_sound(const Loop &loop) {
  const Outcome outcome = simulate(loop), dynamic = simulate_dynamic(loop);
  EXPECT_TRUE(outcome.once);
  ASSERT_TRUE(dynamic.once);
  EXPECT_LE(outcome.ns / dynamic.ns, 1.5);

  // Iterations per nanosecond; where a chunk was asked for, each has a removal.
  auto rate = [&](double speed) {
    return 1 / (loop.cost(0) / speed + (loop.setting.chunk ? loop.removal_ns : 0));
  };
  double all = 0;
  for (size_t i = 0; i < loop.speeds.size(); i++)
    if (std::none_of(loop.faults.begin(), loop.faults.end(),
                     [i](const Fault &fault) { return fault.thread == i && !fault.speed; }))
      all += rate(loop.speeds[i]);
  const double fastest = *std::max_element(loop.speeds.begin(), loop.speeds.end());
  for (size_t i = 0; i < loop.speeds.size(); i++)
    EXPECT_LE(outcome.ran[i],
              8 + 2 * loop.setting.ni * rate(loop.faults.empty() ? loop.speeds[i] : fastest) / all)
        << "thread " << i;
}

TEST(Faults, NoneIsSound) { each_loop(expect_sound); }

// Seconds, or less than anything one would notice; a slow thread or a fast one.
TEST(Faults, DescheduledInItsSample) {
  each_loop([](Loop loop) {
    for (unsigned thread : {0u, unsigned(loop.speeds.size() - 1)})
      for (double ns : {50 * kMicro, kMilli, 20 * kMilli, 3 * kSecond}) {
        SCOPED_TRACE(testing::Message() << "thread " << thread << " loses " << ns << " ns");
        loop.faults = {Fault{thread, 1, ns}};
        expect_sound(loop);
      }
  });
}

// Every thread in its sample at the same moment: the process was stopped.
TEST(Faults, AllDescheduledInTheirSamples) {
  each_loop([](Loop loop) {
    loop.faults.clear();
    for (unsigned thread = 0; thread < loop.speeds.size(); thread++)
      loop.faults.push_back(Fault{thread, 1, kSecond});
    const Outcome outcome = simulate(loop), dynamic = simulate_dynamic(loop);
    EXPECT_TRUE(outcome.once);
    EXPECT_LE(outcome.ns / dynamic.ns, 1.5);
  });
}

// The clock jumps while the first samples run; backwards, differences wrap around. A loop whose
// chunk is too long for a second sample completes.
TEST(Faults, ClockSteps) {
  for (double step : {5 * kSecond, -5 * kSecond})
    each_loop([step](Loop loop) {
      SCOPED_TRACE(testing::Message() << "the clock goes by " << step << " ns");
      const double start = 10 * kSecond;
      for (double when : {150.0, loop.cost(0) / 2}) {
        loop.clock = [=](double time) { return start + time + (time > when ? step : 0); };
        if (loop.setting.chunk <= loop.setting.ni / (8 * loop.speeds.size()))
          expect_sound(loop);
        else
          EXPECT_TRUE(simulate(loop).once);
      }
    });
}

// Samples of no length, of which nothing follows: shares are even, and the pool's rest makes up for
// that where there is one.
TEST(Faults, ClockStandsStill) {
  each_loop([](Loop loop) {
    loop.clock = [](double) { return kSecond; };
    const Outcome outcome = simulate(loop);
    EXPECT_TRUE(outcome.once);
    for (gomp_aid_count ran : outcome.ran)
      EXPECT_GE(ran, 1u);
    for (gomp_aid_count longest : outcome.longest)
      EXPECT_LE(longest, loop.setting.ni / loop.speeds.size());
  });
}

// No block has a time. Such a loop is not taken for one that is over at once, whatever its length:
// of 131074 iterations an even part for each of two threads is a multiple of 65536.
TEST(Faults, ClockRunsBackwards) {
  Loop loop = make_loop({{0, 1}, {1, 3}}, GFS_AID_HYBRID, 0, kMicro, 131074);
  loop.clock = [](double time) { return kSecond - time; };
  const Outcome outcome = simulate(loop);
  EXPECT_TRUE(outcome.once);
  for (gomp_aid_count longest : outcome.longest)
    EXPECT_LE(longest, loop.setting.ni / 16);
}

// One that ticks every four milliseconds: zero or much too long, by chance.
TEST(Faults, CoarseClock) {
  each_loop([](Loop loop) {
    loop.clock = [](double time) { return kSecond + std::floor(time / 4e6) * 4e6; };
    EXPECT_TRUE(simulate(loop).once);
  });
}

// The ratio of two times is as large as it can be, and larger than is believed: k = 3300 / (1 +
// max).
TEST(Faults, SpeedupsAreHeldToTheMaximum) {
  for (unsigned long max : {2ul, 32ul, 1000ul}) {
    model::Setting setting;
    setting.ni = 3300;
    setting.chunk = 1;
    setting.classes = {0, 1};
    setting.sample_ns = 0;
    setting.sf_max = max;
    model::Team team(setting);
    gomp_aid_count first, count;
    const auto ask = [&](unsigned thread, unsigned long long now) {
      model::clock_now = now;
      EXPECT_TRUE(team.next(thread, &first, &count));
      return count;
    };
    EXPECT_EQ(ask(0, 1000), 1u);
    EXPECT_EQ(ask(1, 1000), 1u);
    EXPECT_EQ(ask(1, 1001), 1u);
    const double k = 3300.0 / double(1 + max);
    EXPECT_EQ(ask(0, 1ull << 47), gomp_aid_count(k) - 1);
    EXPECT_EQ(ask(1, 1ull << 47), gomp_aid_count(k * double(max)) - 2);
  }
}

// The threads of a machine with equal cores of two classes change places, the slow ones going on
// fast cores in the middle of their samples, or after them.
TEST(Faults, MigrationBeforeTheAllotment) {
  for (const Machine &machine : {kMachines[2], kMachines[5]})
    for (const Kind &kind : kKinds)
      for (gomp_aid_count chunk : {0, 1})
        for (double cost : {20 * kMicro, kMilli})
          for (unsigned block : {1u, 2u}) {
            SCOPED_TRACE(testing::Message() << kind.name << ", chunk " << chunk << ", " << cost
                                            << " ns, block " << block);
            const unsigned threads = machine.speeds.size();
            Loop loop = make_loop(machine, kind.kind, chunk, cost, 1000);
            for (unsigned i = 0; i < threads; i++)
              loop.faults.push_back(Fault{i, block, 0, machine.speeds[threads - 1 - i],
                                          machine.classes[threads - 1 - i]});
            expect_sound(loop);
          }
}

// Nobody was on a slow core when shares were published; one thread is then. What nothing is known
// of is dynamic.
TEST(Faults, ClassThatAppearsAfterTheSamples) {
  for (const Kind &kind : kKinds)
    for (gomp_aid_count chunk : {1, 4}) {
      SCOPED_TRACE(testing::Message() << kind.name << ", chunk " << chunk);
      Loop loop = make_loop({{1, 1, 1}, {3, 3, 3}}, kind.kind, chunk, 3 * kMicro, 3000);
      // Its sample is one block, so that the second is the wait for the others.
      loop.setting.sample_ns = 0;
      loop.faults = {Fault{0, 2, 0, 1, 0}};
      expect_sound(loop);
    }
}

// Less than eight iterations for each thread are too few to look twice: only that all of them run,
// and that nobody takes more than there is time for, can be promised.
TEST(Faults, ShortLoopsComplete) {
  for (const Machine &machine : kMachines)
    for (const Kind &kind : kKinds)
      for (gomp_aid_count ni = 1; ni < 8 * machine.speeds.size(); ni++)
        for (unsigned thread : {0u, unsigned(machine.speeds.size() - 1)}) {
          Loop loop = make_loop(machine, kind.kind, 0, kMilli, ni);
          loop.faults = {Fault{thread, 1, kSecond}};
          EXPECT_TRUE(simulate(loop).once) << kind.name << ", " << ni << " iterations";
        }
}

} // namespace
