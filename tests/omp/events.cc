// SPDX-License-Identifier: GPL-3.0-or-later
// Events of tasks with a detach clause that a thread of no team fulfils: threads that wait for them
// does, and goes on then.
#include <gtest/gtest.h>
#include <omp.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace {

// Fulfils an event a while after the task that has it has begun, so that the team waits by then.
class Foreign {
public:
  void give(omp_event_handle_t event) { given = event; }
  bool fulfilled() const { return done; }

private:
  void run() {
    while (!given)
      std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    done = true;
    omp_fulfill_event(given);
  }

  std::atomic<omp_event_handle_t> given{};
  std::atomic<bool> done{false};
  struct Joined : std::thread {
    using std::thread::thread;
    ~Joined() { join(); }
  } thread{[this] { run(); }};
};

class Events : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, Events, testing::Values(1, 2, 4),
                         [](const auto &info) { return std::to_string(info.param); });

// Upstream sleeps forever.
TEST_P(Events, EndABarrier) {
  Foreign foreign;
#pragma omp parallel num_threads(GetParam())
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task detach(event)
    foreign.give(event);
  }
  EXPECT_TRUE(foreign.fulfilled());
}

// Upstream does not wait for the event of a task that it runs while it waits for dependences.
TEST_P(Events, EndATaskwaitThatDependsOnThem) {
  Foreign foreign;
  bool before = false;
#pragma omp parallel num_threads(GetParam())
#pragma omp single
  {
    omp_event_handle_t event;
    [[maybe_unused]] char x;
#pragma omp task detach(event) depend(out : x)
    foreign.give(event);
#pragma omp taskwait depend(in : x)
    before = foreign.fulfilled();
  }
  EXPECT_TRUE(before);
}

TEST_P(Events, PrecedeAnUndeferredTaskThatDependsOnThem) {
  Foreign foreign;
  bool before = false;
#pragma omp parallel num_threads(GetParam())
#pragma omp single
  {
    omp_event_handle_t event;
    [[maybe_unused]] char x;
#pragma omp task detach(event) depend(out : x)
    foreign.give(event);
#pragma omp task if (0) depend(in : x) shared(before)
    before = foreign.fulfilled();
  }
  EXPECT_TRUE(before);
}

// Upstream sleeps forever with two threads: neither runs the second task when it is ready.
TEST_P(Events, PrecedeATaskThatOneOfATaskgroupDependsOn) {
  Foreign foreign;
  std::atomic<bool> begun{false};
  bool before = false;
#pragma omp parallel num_threads(GetParam())
#pragma omp single
  {
#pragma omp task shared(before)
    {
      omp_event_handle_t event;
      [[maybe_unused]] char x;
      begun = true;
#pragma omp task detach(event) depend(out : x)
      foreign.give(event);
#pragma omp task depend(inout : x)
      ;
#pragma omp taskgroup
      {
#pragma omp task depend(in : x) shared(before)
        before = foreign.fulfilled();
      }
    }
    while (!begun && GetParam() > 1)
      std::this_thread::yield();
#pragma omp taskwait
  }
  EXPECT_TRUE(before);
}

} // namespace
