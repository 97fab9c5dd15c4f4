// SPDX-License-Identifier: GPL-3.0-or-later
// Single steps of carried ids (libgomp/amp/fold/fold-carry.h). Each id keeps its kernel thread, as
// in virtual time: which one runs shows in who goes on. tests/model tries all orders.
extern "C" {
#include "fold/fold-carry.h"
#include "fold/fold-kernel.h"
}

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

// Ids on workers, of which id 0 leads and begins as the first worker's carrier.
struct FoldCarry : testing::Test {
  gomp_fold_crew crew{};
  gomp_fold_worker worker[2] = {};
  gomp_fold_id id[4] = {};
  std::vector<std::thread> threads;
  static FoldCarry *current;

  void SetUp() override {
    current = this;
    crew = {GOMP_FOLD_CARRIED, 2, worker};
    for (unsigned w = 0; w < 2; w++) {
      worker[w].crew = &crew;
      worker[w].number = w;
      worker[w].speed = 1;
    }
    for (auto &one : id) {
      gomp_fold_begin_id(&one);
      one.worker = worker;
    }
    id[0].leads = true;
  }

  void start(unsigned number, std::function<void(gomp_fold_id *)> body) {
    threads.emplace_back([this, number, body = std::move(body)] {
      if (number == 0)
        gomp_fold_take_over(&id[0]);
      body(&id[number]);
      gomp_fold_go_home(&id[number]);
      gomp_fold_resign(&id[number]);
    });
  }

  void end() {
    for (auto &thread : threads)
      thread.join();
    threads.clear();
    for (const auto &one : worker) {
      EXPECT_EQ(one.carrier, nullptr);
      EXPECT_EQ(one.first, nullptr);
    }
    for (const auto &one : id)
      EXPECT_EQ(one.on, &one.own);
  }

  static void await(gomp_fold_id *me, std::atomic<int> &word, int wanted) {
    for (int seen; (seen = word) != wanted;)
      if (gomp_fold_wait(me, reinterpret_cast<int *>(&word), seen, GOMP_FOLD_SLEEP, 10) ==
          GOMP_FOLD_ALONE)
        usleep(100);
  }

  static void set(std::atomic<int> &word, int value) {
    word = value;
    for (int i = 0; i < 4; i++)
      gomp_fold_wake(reinterpret_cast<int *>(&word));
  }

  static bool down(const gomp_fold_id &one) {
    return __atomic_load_n(&one.list, __ATOMIC_ACQUIRE) != nullptr;
  }
  static void until(const std::function<bool()> &holds) {
    while (!holds())
      usleep(100);
  }
};

FoldCarry *FoldCarry::current;

TEST_F(FoldCarry, AnIdThatHasNothingToWaitForGoesOn) {
  start(0, [&](gomp_fold_id *me) {
    std::atomic<int> word{1};
    EXPECT_EQ(gomp_fold_wait(me, reinterpret_cast<int *>(&word), 0, GOMP_FOLD_SLEEP, 0),
              GOMP_FOLD_LOOK);
    EXPECT_EQ(gomp_fold_wait(me, reinterpret_cast<int *>(&word), 1, GOMP_FOLD_SPIN, 5),
              GOMP_FOLD_WAITED);
    EXPECT_FALSE(gomp_fold_yield(me));
    EXPECT_EQ(worker[0].carrier, &me->own);
  });
  end();
}

TEST_F(FoldCarry, OfAWorkersIdsOneRunsAtATime) {
  std::atomic<int> begun{0}, running{0}, turn{0};
  for (unsigned number = 0; number < 4; number++)
    start(number, [&, number](gomp_fold_id *me) {
      begun++;
      // Each is down once all others are.
      await(me, turn, 1);
      for (int round = 0; round < 50; round++) {
        EXPECT_EQ(++running, 1) << number;
        running--;
        gomp_fold_yield(me);
      }
    });
  until([&] { return begun == 4 && down(id[1]) + down(id[2]) + down(id[3]) + down(id[0]) >= 3; });
  set(turn, 1);
  end();
}

TEST_F(FoldCarry, AnotherCarrierIsGivenToAWorkerWhoseOwnDoesNotComeBack) {
  std::atomic<int> go{0}, first{0}, other{0};
  start(1, [&](gomp_fold_id *me) {
    await(me, go, 1);
    other = 1;
  });
  start(0, [&](gomp_fold_id *me) {
    until([&] { return down(id[1]); });
    EXPECT_FALSE(gomp_fold_relieve(&worker[0])) << "no id can go on";
    set(go, 1);
    first = 1;
    // As if it slept outside of libgomp.
    until([&] { return other == 1; });
    EXPECT_EQ(me->on, &me->own);
  });
  until([&] { return first == 1; });
  EXPECT_EQ(other, 0);
  EXPECT_TRUE(gomp_fold_relieve(&worker[0]));
  EXPECT_EQ(worker[0].early, 1U);
  EXPECT_FALSE(gomp_fold_relieve(&worker[0])) << "none is down";
  end();
}

TEST_F(FoldCarry, AnIdThatIsDownMovesToAnotherWorker) {
  std::atomic<int> go{0}, moved{0};
  start(1, [&](gomp_fold_id *me) {
    await(me, go, 1);
    EXPECT_EQ(worker[1].carrier, me->on);
    moved = 1;
  });
  start(0, [&](gomp_fold_id *) {
    until([&] { return down(id[1]); });
    EXPECT_EQ(id[1].list, &worker[0]);
    gomp_fold_deal(&id[1], &worker[1]);
    set(go, 1);
    // It needs another carrier, and not this one.
    until([&] { return moved == 1; });
  });
  end();
}

TEST_F(FoldCarry, AllAreReleased) {
  std::atomic<int> go{0}, released{0}, met{0};
  for (unsigned number = 1; number < 4; number++)
    start(number, [&](gomp_fold_id *me) {
      await(me, go, 1);
      met++;
      // All run at a time.
      until([&] { return met == 4; });
      (void)me;
    });
  start(0, [&](gomp_fold_id *me) {
    until([&] { return down(id[1]) && down(id[2]) && down(id[3]); });
    __atomic_store_n(&crew.mode, GOMP_FOLD_FREE, __ATOMIC_SEQ_CST);
    gomp_fold_release(&crew);
    released = 1;
    EXPECT_EQ(gomp_fold_wait(me, reinterpret_cast<int *>(&go), 0, GOMP_FOLD_SLEEP, 0),
              GOMP_FOLD_ALONE);
    set(go, 1);
    met++;
    until([&] { return met == 4; });
  });
  end();
  EXPECT_EQ(released, 1);
}

} // namespace

extern "C" {

gomp_fold_carrier *gomp_fold_choose_parked(const gomp_fold_worker *, gomp_fold_id *for_id) {
  if (gomp_fold_choose(&for_id->own))
    return &for_id->own;
  for (gomp_fold_id &one : FoldCarry::current->id)
    if (gomp_fold_choose(&one.own))
      return &one.own;
  return nullptr;
}

void gomp_fold_place(gomp_fold_carrier *, const gomp_fold_worker *, bool) {}
void gomp_fold_note_carried(gomp_fold_id *) {}
}
