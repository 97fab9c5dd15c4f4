// SPDX-License-Identifier: GPL-3.0-or-later
// The turns of folded teams under every interleaving of their threads' atomic operations: all
// threads end, a worker's turn is never held twice, no two accesses race.
#include <gtest/gtest.h>

#include <cstring>
#include <iostream>

#include "fold_program.h"
#include "state_search.h"

namespace {

using model::Findings;

// Ids 0 and 1 are worker 0's, id 2 is worker 1's.
constexpr unsigned kWorkerOf[] = {0, 0, 1};
constexpr unsigned kOther = FOLD_IDS; // the thread beside the ids

struct Program {
  const char *name;
  void (*id)(unsigned);
  void (*other)(); // null: there is none
  unsigned spins;
  bool races;  // look for races as well, which takes far longer
  bool locked; // the mutex is, and has a waiter, at first
  bool moves;  // id 0 ends as worker 1's
};

using FoldMemory = model::Memory<16, 40, 1, true>;

// The kernel, as one of the searches has it.
class Kernel {
public:
  virtual void sleep(const gomp_fold_word *list, unsigned count, bool briefly) = 0;
  virtual void wake(const int *addr, bool all) = 0;
  static Kernel *current;

protected:
  ~Kernel() = default;
};

Kernel *Kernel::current;

template <class Mem> class Turns : public model::Search<Mem>, private Kernel {
public:
  explicit Turns(const Program &program);
  ~Turns() override { current = nullptr; }

private:
  using Base = model::Search<Mem>;
  using Region = typename Base::Region;
  using Base::before_atomic, Base::ended, Base::fail, Base::observe, Base::running;

  void sleep(const gomp_fold_word *list, unsigned count, bool briefly) override;
  void wake(const int *addr, bool all) override;

  static constexpr unsigned kMost = 8; // words that a thread sleeps on
  struct Sleeper {
    bool sleeps;
    unsigned count;
    const int *on[kMost]; // null where it was woken by that word
  };

  void body(unsigned thread) override;
  std::vector<Region> regions() const override;
  bool shared(const void *address, bool write) const override;
  std::string name(const void *address) const override;
  void check_end() override;
  void check_state() override;
  bool blocked(unsigned thread) const override;
  bool may_wait() const override { return true; }

  const Program &program_;
  std::vector<std::pair<const void *, std::string>> words_;
  Sleeper sleeper_[Mem::kThreads];
};

template <class Mem> Turns<Mem>::Turns(const Program &program) : program_(program) {
  current = this;
  fold_world = {};
  fold_spins = program.spins;
  std::memset(sleeper_, 0, sizeof sleeper_);
  fold_world.mutex = program.locked ? -1 : 0;
  const auto loaded = [this](const void *word, std::string name) {
    words_.emplace_back(word, std::move(name));
  };
  loaded(&fold_world.generation, "generation");
  loaded(&fold_world.mutex, "mutex");
  loaded(&fold_world.flag, "flag");
  for (unsigned w = 0; w < FOLD_WORKERS; w++) {
    gomp_fold_worker &worker = fold_world.worker[w];
    const std::string of = " of worker " + std::to_string(w);
    worker.slots = w == 0 || program.moves ? 2 : 1;
    worker.id = fold_world.slots[w];
    loaded(&worker.word, "word" + of);
    for (unsigned slot = 0; slot < worker.slots; slot++)
      loaded(&worker.id[slot], "slot " + std::to_string(slot) + of);
  }
  for (unsigned i = 0; i < FOLD_IDS; i++)
    loaded(&fold_world.id[i].state, "state of id " + std::to_string(i));
  while (words_.size() < Mem::kLoaded)
    words_.emplace_back(reinterpret_cast<const char *>(&words_) + words_.size(), "nothing");
  loaded(&fold_world.awaited, "awaited");
  loaded(&fold_world.guarded, "what the mutex guards");
  for (auto &entry : fold_world.worker)
    loaded(&entry.holder, "holder");
  for (gomp_fold_id &id : fold_world.id) {
    loaded(&id.addr, "addr");
    loaded(&id.val, "val");
    loaded(&id.way, "way");
  }
  std::vector<const void *> addresses;
  for (const auto &word : words_)
    addresses.push_back(word.first);
  this->start(program.other ? FOLD_IDS + 1 : FOLD_IDS, addresses);
}

template <class Mem> void Turns<Mem>::body(unsigned thread) {
  if (thread == kOther)
    return program_.other();
  const unsigned worker = kWorkerOf[thread];
  gomp_fold_join(&fold_world.id[thread], &fold_world.worker[worker], worker == 0 ? thread : 0);
  program_.id(thread);
}

template <class Mem> std::vector<typename Turns<Mem>::Region> Turns<Mem>::regions() const {
  return {{&fold_world, sizeof fold_world}, {const_cast<Sleeper *>(sleeper_), sizeof sleeper_}};
}

template <class Mem> bool Turns<Mem>::shared(const void *address, bool) const {
  for (const auto &word : words_)
    if (word.first == address)
      return true;
  return false;
}

template <class Mem> std::string Turns<Mem>::name(const void *address) const {
  for (const auto &word : words_)
    if (word.first == address)
      return word.second;
  return "another word";
}

template <class Mem> bool Turns<Mem>::blocked(unsigned thread) const {
  return sleeper_[thread].sleeps;
}

template <class Mem>
void Turns<Mem>::sleep(const gomp_fold_word *list, unsigned count, bool briefly) {
  before_atomic(nullptr);
  const unsigned thread = running();
  if (count > kMost)
    return fail("more words than the checker has room for");
  for (unsigned i = 0; i < count; i++) {
    observe(list[i].addr);
    if (__atomic_load_n(list[i].addr, __ATOMIC_SEQ_CST) != list[i].val)
      return;
  }
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
template <class Mem> void Turns<Mem>::wake(const int *addr, bool all) {
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

template <class Mem> void Turns<Mem>::check_state() {
  for (unsigned w = 0; w < FOLD_WORKERS; w++) {
    unsigned turns = 0;
    for (unsigned i = 0; i < FOLD_IDS; i++)
      turns += fold_world.id[i].worker == &fold_world.worker[w] && !ended(i) &&
               (fold_world.id[i].turn || fold_world.id[i].state == GOMP_FOLD_TURN ||
                fold_world.id[i].state == GOMP_FOLD_TIMEOUT);
    if (turns > 1)
      fail("a turn that two ids hold");
    if (turns == 1 && !(fold_world.worker[w].word & GOMP_FOLD_HELD))
      fail("a turn that is held and counts as free");
  }
}

template <class Mem> void Turns<Mem>::check_end() {
  for (unsigned i = 0; i < FOLD_IDS; i++) {
    if (!ended(i))
      fail("nobody wakes id " + std::to_string(i));
    else if (fold_world.done[i] != 2)
      fail("id " + std::to_string(i) + " ended too early");
    if (fold_world.id[i].state != GOMP_FOLD_RUNS)
      fail("an id that ended and does not run");
  }
  for (const auto &entry : fold_world.worker)
    if (entry.word & (GOMP_FOLD_HELD | GOMP_FOLD_ASLEEP))
      fail("a worker without ids whose turn is not free");
}

const Program kPrograms[] = {
    {"barriers", fold_barriers, nullptr, 0, false, false, false},
    {"barriers_spinning", fold_barriers, nullptr, 1, false, false, false},
    {"mutex", fold_mutex, nullptr, 0, false, false, false},
    {"mutex_spinning", fold_mutex, nullptr, 1, false, false, false},
    {"end_early", fold_end_early, nullptr, 0, true, false, false},
    {"yield", fold_yield, nullptr, 0, false, false, false},
    // A fourth thread multiplies the states, so one barrier has to do.
    {"barrier_woken_early", fold_one_barrier, fold_wake_early, 0, false, false, false},
    {"mutex_woken_early", fold_mutex, fold_wake_early, 0, false, false, false},
    {"end_early_woken_early", fold_end_early, fold_wake_early, 0, false, false, false},
    {"barrier_disbanded", fold_one_barrier, fold_disband, 0, false, false, false},
    {"mutex_disbanded", fold_mutex, fold_disband, 0, false, false, false},
    {"end_early_disbanded", fold_end_early, fold_disband, 0, false, false, false},
    {"yield_disbanded", fold_yield, fold_disband, 0, false, false, false},
    {"two_words_disbanded", fold_two_words, fold_disband_and_unlock, 0, false, true, false},
    {"moved", fold_move, fold_wake_moving, 0, false, false, true},
    {"outside_disbanded", fold_outside, fold_disband, 0, false, false, false},
};

class Folded : public testing::TestWithParam<Program> {};

TEST_P(Folded, AllEndWithOneTurnAWorker) {
  const Findings findings = GetParam().races ? Turns<FoldMemory>(GetParam()).run()
                                             : Turns<model::Sequential>(GetParam()).run();
  std::cout << GetParam().name << ": " << findings.states << " states, " << findings.steps
            << " steps, " << findings.ends << " ends\n";
  EXPECT_EQ(findings.error, "");
  EXPECT_GT(findings.ends, 0u);
}

INSTANTIATE_TEST_SUITE_P(Fold, Folded, testing::ValuesIn(kPrograms),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace

extern "C" {

void gomp_fold_sleep(int *addr, int val) {
  const gomp_fold_word word = {addr, val};
  Kernel::current->sleep(&word, 1, false);
}

void gomp_fold_sleep_any(const gomp_fold_word *list, unsigned count, bool briefly) {
  Kernel::current->sleep(list, count, briefly);
}

void gomp_fold_wake(int *addr) { Kernel::current->wake(addr, false); }
void fold_wake_all(int *addr) { Kernel::current->wake(addr, true); }
// The next look at the word is a step.
void gomp_fold_relax() {}
}
