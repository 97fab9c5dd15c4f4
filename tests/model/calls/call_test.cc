// SPDX-License-Identifier: GPL-3.0-or-later
// Called regions under every interleaving of their threads' atomic operations: late threads and
// rescues. Each id runs once, in its region; the region ends when all have; no thread is left
// asleep.
#include <gtest/gtest.h>

#include <cstring>
#include <iostream>

#include "call_program.h"
#include "state_search.h"

namespace {

using model::Findings;

constexpr unsigned kOther = CALL_THREADS; // the thread beside the pool's

struct Program {
  const char *name;
  call_case of;
  void (*other)(); // null: there is none
};

class Calls : public model::Search<model::Sequential> {
public:
  explicit Calls(const Program &program);
  ~Calls() override { current = nullptr; }

  // The kernel.
  void sleep(const gomp_fold_word *list, unsigned count);
  void wake(const int *addr, bool all);
  void wait_until_quiet();
  void let_others_run();
  bool sleeps(unsigned thread) const { return sleeper_[thread].sleeps; }
  struct gomp_thread *self() const {
    return &call_world.thread[running()];
  }
  static Calls *current;

private:
  static constexpr unsigned kMost = 8; // words that a thread sleeps on
  struct Sleeper {
    bool sleeps;
    unsigned count;
    const int *on[kMost]; // null where it was woken by that word
  };

  void body(unsigned thread) override;
  std::vector<Region> regions() const override;
  bool shared(const void *address, bool) const override { return !call_is_quiet(address); }
  bool steps(const void *address) const override { return shared(address, true); }
  std::string name(const void *) const override { return "a word"; }
  void check_end() override;
  void check_state() override;
  bool blocked(unsigned thread) const override;
  void resume(unsigned thread) override;
  bool can_go_on(unsigned thread) const {
    return thread < threads() && !ended(thread) && !sleeps(thread);
  }
  unsigned threads() const { return program_.other ? CALL_THREADS + 1 : CALL_THREADS; }
  bool may_wait() const override { return true; }
  bool must_end() const override { return true; }

  const Program &program_;
  Sleeper sleeper_[model::Sequential::kThreads];
  bool waits_until_quiet_ = false;
  bool yields_[model::Sequential::kThreads] = {};
};

Calls *Calls::current;

Calls::Calls(const Program &program) : program_(program) {
  current = this;
  std::memset(sleeper_, 0, sizeof sleeper_);
  call_prepare(&program.of);
  start(threads(), {});
}

void Calls::body(unsigned thread) {
  if (thread == kOther)
    program_.other();
  else if (thread == 0)
    call_home();
  else
    call_docked(thread);
}

std::vector<Calls::Region> Calls::regions() const {
  auto *const self = const_cast<Calls *>(this);
  return {{&call_world, sizeof call_world},
          {self->sleeper_, sizeof sleeper_},
          {&self->waits_until_quiet_, sizeof waits_until_quiet_},
          {self->yields_, sizeof yields_}};
}

bool Calls::blocked(unsigned thread) const {
  if (sleeps(thread))
    return true;
  const bool quiet = thread == kOther && waits_until_quiet_;
  if (!quiet && !yields_[thread])
    return false;
  for (unsigned other = 0; other < threads(); other++)
    if (other != thread && can_go_on(other) && (other != kOther || !waits_until_quiet_))
      return true;
  return false;
}

void Calls::resume(unsigned thread) {
  for (unsigned other = 0; other < threads(); other++)
    if (other != thread)
      yields_[other] = false;
}

void Calls::let_others_run() {
  yields_[running()] = true;
  before_atomic(nullptr);
  yields_[running()] = false;
}

void Calls::sleep(const gomp_fold_word *list, unsigned count) {
  before_atomic(nullptr);
  Sleeper &sleeper = sleeper_[running()];
  if (count > kMost)
    return fail("more words than the checker has room for");
  for (unsigned i = 0; i < count; i++)
    if (__atomic_load_n(list[i].addr, __ATOMIC_SEQ_CST) != list[i].val)
      return;
  for (unsigned i = 0; i < count; i++)
    sleeper.on[i] = list[i].addr;
  sleeper.count = count;
  sleeper.sleeps = true;
  before_atomic(nullptr);
  std::memset(static_cast<void *>(&sleeper), 0, sizeof sleeper);
}

// As in fold_test.cc.
void Calls::wake(const int *addr, bool all) {
  for (Sleeper &sleeper : sleeper_)
    for (unsigned i = 0; i < sleeper.count; i++)
      if (sleeper.on[i] == addr) {
        sleeper.on[i] = nullptr;
        sleeper.sleeps = false;
        if (!all)
          return;
        break;
      }
}

void Calls::wait_until_quiet() {
  waits_until_quiet_ = true;
  before_atomic(nullptr);
  waits_until_quiet_ = false;
}

void Calls::check_state() {
  if (call_world.error)
    fail(call_world.error);
  if (call_world.team.barrier.awaited_final > program_.of.ids ||
      call_world.team.barrier.awaited > program_.of.ids)
    fail("a subtraction too many");
  for (const auto &region : call_world.done)
    for (const int done : region)
      if (done > 1)
        fail("an id that ran twice");
}

void Calls::check_end() {
  for (unsigned thread = 0; thread < CALL_THREADS; thread++)
    if (!ended(thread))
      fail("nobody wakes thread " + std::to_string(thread));
  for (unsigned region = 0; region < program_.of.regions; region++)
    for (unsigned id = 0; id < program_.of.ids; id++)
      if (call_world.done[region][id] != 1)
        fail("an id that did not run");
}

const Program kPrograms[] = {
    {"leaf", {CALL_LEAF, 3, 1, false}, nullptr},
    {"leaf_twice", {CALL_LEAF, 3, 2, true}, nullptr},
    {"meets", {CALL_MEETS, 3, 1, true}, call_watch_stuck},
    {"meets_unwatched", {CALL_MEETS, 3, 1, true}, nullptr},
    {"outside", {CALL_OUTSIDE, 3, 1, true}, call_watch},
    {"tasks", {CALL_TASKS, 3, 1, true}, nullptr},
    // Fewer ids than threads.
    {"spare", {CALL_LEAF, 2, 1, true}, nullptr},
    {"spare_twice", {CALL_LEAF, 2, 2, true}, nullptr},
    {"spare_meets", {CALL_MEETS, 2, 1, true}, call_watch_stuck},
    {"spare_outside", {CALL_OUTSIDE, 2, 1, true}, call_watch},
    {"spare_tasks", {CALL_TASKS, 2, 1, true}, nullptr},
};

class Called : public testing::TestWithParam<Program> {};

TEST_P(Called, EachIdRunsOnceAndAllEnd) {
  const Findings findings = Calls(GetParam()).run();
  std::cout << GetParam().name << ": " << findings.states << " states, " << findings.steps
            << " steps, " << findings.ends << " ends\n";
  EXPECT_EQ(findings.error, "");
  EXPECT_GT(findings.ends, 0u);
}

INSTANTIATE_TEST_SUITE_P(Call, Called, testing::ValuesIn(kPrograms),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace

extern "C" {

void gomp_fold_sleep(int *addr, int val) {
  const gomp_fold_word word = {addr, val};
  Calls::current->sleep(&word, 1);
}

void gomp_fold_sleep_any(const gomp_fold_word *list, unsigned count, bool) {
  Calls::current->sleep(list, count);
}

void gomp_fold_wake(int *addr) { Calls::current->wake(addr, false); }
void call_wake_all(int *addr) { Calls::current->wake(addr, true); }
void call_let_others_run() { Calls::current->let_others_run(); }
void call_wait_until_quiet() { Calls::current->wait_until_quiet(); }
// A coarse search has no step where a thread looks again.
void gomp_fold_relax() {
  if (call_world.of.coarse)
    Calls::current->let_others_run();
}
struct gomp_thread *gomp_thread() {
  return Calls::current->self();
}

gomp_fold_activity gomp_fold_look_up_activity(int tid) {
  return Calls::current->sleeps(unsigned(tid) - 1) ? GOMP_FOLD_SLEEPS : GOMP_FOLD_COMPUTES;
}
}
