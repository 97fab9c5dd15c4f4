// SPDX-License-Identifier: GPL-3.0-or-later
// Carried ids under every interleaving of the atomic operations of their kernel threads: all end,
// each id is run by one kernel thread at a time, and nobody sleeps for good.
#include <gtest/gtest.h>

#include <cstring>
#include <iostream>

#include "carry_program.h"
#include "state_search.h"

namespace {

using model::Findings;

// Ids 0 and 1 are worker 0's, id 2 is worker 1's.
constexpr unsigned kWorkerOf[] = {0, 0, 1};
constexpr unsigned kOther = CARRY_IDS; // the thread beside the ids

struct Program {
  const char *name;
  void (*id)(unsigned);
  void (*other)(); // null: there is none
  unsigned spins;
  bool moves; // ids get another worker
};

class Carry : public model::Search<model::Sequential> {
public:
  explicit Carry(const Program &program);
  ~Carry() override { current = nullptr; }

  // The kernel.
  void sleep(const gomp_fold_word *list, unsigned count, bool briefly);
  void wake(const int *addr, bool all);
  void wait_until_quiet();
  void check_runs(unsigned id);
  void check_change(gomp_fold_id *from, const gomp_fold_id *to);
  void let_others_run() { before_atomic(nullptr); }
  static Carry *current;

private:
  static constexpr unsigned kMost = 8; // words that a thread sleeps on
  struct Sleeper {
    bool sleeps;
    unsigned count;
    const int *on[kMost]; // null where it was woken by that word
  };

  void body(unsigned thread) override;
  std::vector<Region> regions() const override;
  bool shared(const void *address, bool) const override;
  bool steps(const void *address) const override;
  std::string name(const void *) const override { return "a word"; }
  void check_end() override;
  bool blocked(unsigned thread) const override;
  bool may_wait() const override { return true; }
  bool must_end() const override { return true; }
  unsigned threads() const { return program_.other ? CARRY_IDS + 1 : CARRY_IDS; }

  const Program &program_;
  Sleeper sleeper_[model::Sequential::kThreads];
  bool waits_until_quiet_ = false;
};

Carry *Carry::current;

Carry::Carry(const Program &program) : program_(program) {
  current = this;
  std::memset(static_cast<void *>(&carry_world), 0, sizeof carry_world);
  std::memset(sleeper_, 0, sizeof sleeper_);
  carry_spins = program.spins;
  carry_world.crew = {GOMP_FOLD_CARRIED, CARRY_WORKERS, carry_world.worker};
  for (unsigned w = 0; w < CARRY_WORKERS; w++) {
    carry_world.worker[w].crew = &carry_world.crew;
    carry_world.worker[w].number = w;
    carry_world.worker[w].speed = 1;
  }
  for (unsigned i = 0; i < CARRY_IDS; i++) {
    gomp_fold_begin_id(&carry_world.id[i]);
    carry_world.id[i].worker = &carry_world.worker[kWorkerOf[i]];
    carry_world.id[i].leads = i == 0;
  }
  start(threads(), {});
}

void Carry::body(unsigned thread) {
  if (thread == kOther)
    program_.other();
  else
    program_.id(thread);
}

std::vector<Carry::Region> Carry::regions() const {
  auto *const self = const_cast<Carry *>(this);
  return {{&carry_world, sizeof carry_world},
          {self->sleeper_, sizeof sleeper_},
          {&self->waits_until_quiet_, sizeof waits_until_quiet_}};
}

// No steps of their own: what nobody but its writer reads here, or under a lock only; where ids
// belong, if that does not change; and the look at a lock before each try to take it, which comes
// again.
bool Carry::shared(const void *address, bool write) const {
  for (const gomp_fold_worker &worker : carry_world.worker)
    if (address == &worker.early || (address == &worker.lock && !write))
      return false;
  for (const gomp_fold_id &id : carry_world.id)
    if (address == &id.own.run || (address == &id.worker && !program_.moves))
      return false;
  return true;
}

// A list changes under its lock only. A look without one sees it before the lock is taken,
// or after it is released.
bool Carry::steps(const void *address) const {
  for (const gomp_fold_worker &worker : carry_world.worker)
    if (address == &worker.first)
      return false;
  return shared(address, true);
}

bool Carry::blocked(unsigned thread) const {
  if (sleeper_[thread].sleeps)
    return true;
  if (thread != kOther || !waits_until_quiet_)
    return false;
  for (unsigned other = 0; other < CARRY_IDS; other++)
    if (!ended(other) && !sleeper_[other].sleeps)
      return true;
  return false;
}

void Carry::wait_until_quiet() {
  waits_until_quiet_ = true;
  before_atomic(nullptr);
  waits_until_quiet_ = false;
}

void Carry::sleep(const gomp_fold_word *list, unsigned count, bool briefly) {
  before_atomic(nullptr);
  const unsigned thread = running();
  if (count > kMost)
    return fail("more words than the checker has room for");
  for (unsigned i = 0; i < count; i++)
    if (*list[i].addr != list[i].val)
      return;
  if (briefly)
    return;
  for (unsigned i = 0; i < count; i++)
    sleeper_[thread].on[i] = list[i].addr;
  sleeper_[thread].count = count;
  sleeper_[thread].sleeps = true;
  before_atomic(nullptr);
  std::memset(static_cast<void *>(&sleeper_[thread]), 0, sizeof(Sleeper));
}

// Not a step of its own: a thread that is awake and has not yet run stands for a wake that comes
// late. As in the kernel such a thread is still in the queues of its other words, and takes their
// wakes from those who sleep.
void Carry::wake(const int *addr, bool all) {
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

void Carry::check_runs(unsigned number) {
  const gomp_fold_id &id = carry_world.id[number];
  if (id.on->run != &id || id.on->word == GOMP_FOLD_PARKED || id.list != nullptr)
    fail("an id that goes on and is not picked up");
}

void Carry::check_change(gomp_fold_id *from, const gomp_fold_id *to) {
  if (from != nullptr)
    carry_world.down[from - carry_world.id] = true;
  if (to == nullptr)
    return;
  bool &down = carry_world.down[to - carry_world.id];
  if (!down)
    fail("an id that is picked up and was not put down");
  down = false;
}

void Carry::check_end() {
  for (unsigned i = 0; i < CARRY_IDS; i++)
    if (!ended(i))
      fail("nobody wakes id " + std::to_string(i));
    else if (carry_world.done[i] != 2)
      fail("id " + std::to_string(i) + " ended too early");
  if (carry_world.guarded != 0 && carry_world.guarded != CARRY_IDS)
    fail("two ids held a mutex at a time");
  for (const gomp_fold_worker &worker : carry_world.worker)
    if (worker.first != nullptr || worker.carrier != nullptr || worker.lock != 0)
      fail("a worker that is not left alone in the end");
}

const Program kPrograms[] = {
    {"barriers", carry_barriers, nullptr, 0, false},
    {"barriers_spinning", carry_barriers, nullptr, 1, false},
    {"mutex", carry_mutex, nullptr, 0, false},
    {"yields", carry_yields, nullptr, 0, false},
    {"moves", carry_moves, nullptr, 0, true},
    {"regions", carry_regions, nullptr, 0, false},
    {"outside", carry_outside, carry_watch, 0, false},
    {"barriers_released", carry_barriers, carry_release, 0, false},
    {"mutex_released", carry_mutex, carry_release, 0, false},
    {"regions_released", carry_regions, carry_release, 0, false},
    {"moves_released", carry_moves, carry_release, 0, true},
};

class Carried : public testing::TestWithParam<Program> {};

TEST_P(Carried, AllEndAndEachRunsOnce) {
  const Findings findings = Carry(GetParam()).run();
  std::cout << GetParam().name << ": " << findings.states << " states, " << findings.steps
            << " steps, " << findings.ends << " ends\n";
  EXPECT_EQ(findings.error, "");
  EXPECT_GT(findings.ends, 0u);
}

INSTANTIATE_TEST_SUITE_P(Fold, Carried, testing::ValuesIn(kPrograms),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace

extern "C" {

void gomp_fold_sleep(int *addr, int val) {
  const gomp_fold_word word = {addr, val};
  Carry::current->sleep(&word, 1, false);
}

void gomp_fold_sleep_any(const gomp_fold_word *list, unsigned count, bool briefly) {
  Carry::current->sleep(list, count, briefly);
}

void gomp_fold_wake(int *addr) { Carry::current->wake(addr, false); }
void carry_wake_all(int *addr) { Carry::current->wake(addr, true); }
void carry_wait_until_quiet() { Carry::current->wait_until_quiet(); }
void carry_check_change(gomp_fold_id *from, const gomp_fold_id *to) {
  Carry::current->check_change(from, to);
}
void carry_check_runs(unsigned id) { Carry::current->check_runs(id); }
void gomp_fold_relax() { Carry::current->let_others_run(); }
void gomp_fold_yield_cpu() { Carry::current->let_others_run(); }
}
