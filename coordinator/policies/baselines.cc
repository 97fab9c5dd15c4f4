// SPDX-License-Identifier: GPL-3.0-or-later
// Policies to compare with.
#include "policies/threads.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>

namespace coord {

namespace {

// Threads are Anywhere from the start, and the operating system moves none without need.
class Sticky final : public Policy {
public:
  void decide(const State &, Decisions &) override {}
};

// The class of each core that one of COUNT threads gets, fastest first: all cores of all classes in
// turn.
std::vector<int> slots(const Machine &machine, std::size_t count) {
  std::vector<int> cores(machine.cores.size());
  std::iota(cores.begin(), cores.end(), 0);
  std::ranges::stable_sort(cores, std::greater(),
                           [&](int core) { return machine.cores[core].core_class; });
  std::vector<int> dealt;
  for (std::size_t i = 0; i < count; i++)
    dealt.push_back(cores[i % cores.size()]);
  std::ranges::stable_sort(dealt, std::greater(),
                           [&](int core) { return machine.cores[core].core_class; });
  return dealt;
}

std::vector<const ThreadState *> runnable_threads(const State &state) {
  std::vector<const ThreadState *> threads;
  for (const ApplicationState &app : state.apps)
    for (const ThreadState &thread : app.threads)
      if (thread.runnable)
        threads.push_back(&thread);
  return threads;
}

class Gts final : public Policy {
public:
  explicit Gts(const Setup &setup) : machine_(setup.machine), random_(setup.seed) {}
  Time period() const override { return 10 * kMillisecond; }

  void decide(const State &state, Decisions &decisions) override {
    // Those that the operating system has placed; new ones it is about to place.
    std::vector<std::vector<const ThreadState *>> members(machine_.classes.size());
    std::vector<int> threads(machine_.cores.size());
    for (const ThreadState *const thread : runnable_threads(state)) {
      if (thread->core < 0)
        return;
      members[machine_.cores[thread->core].core_class].push_back(thread);
      threads[thread->core]++;
    }
    for (int fast = machine_.fastest(); fast > 0; fast--)
      for (int core = 0; core < machine_.core_count(); core++) {
        if (machine_.cores[core].core_class != fast || threads[core] > 0)
          continue;
        for (int slow = 0; slow < fast; slow++)
          if (!members[slow].empty()) {
            std::swap(members[slow][random_() % members[slow].size()], members[slow].back());
            decisions.places.push_back({members[slow].back()->id, {Place::OnCore, core}});
            members[slow].pop_back();
            break;
          }
      }
    // What was pulled is the operating system's again.
    for (const ThreadState *const thread : runnable_threads(state))
      if (thread->place.kind == Place::OnCore)
        decisions.places.push_back({thread->id, {}});
  }

private:
  const Machine &machine_;
  std::mt19937_64 random_;
};

class RoundRobin final : public Policy {
public:
  explicit RoundRobin(const Setup &setup)
      : machine_(setup.machine), period_(static_cast<Time>(setup["quantum_ms"] * kMillisecond)) {}
  Time period() const override { return period_; }

  void decide(const State &state, Decisions &decisions) override {
    const std::vector<const ThreadState *> threads = runnable_threads(state);
    const std::vector<int> dealt = slots(machine_, threads.size());
    const std::size_t turn = static_cast<std::size_t>(state.now / period_);
    for (std::size_t i = 0; i < threads.size(); i++)
      decisions.places.push_back(
          {threads[i]->id, {Place::OnCore, dealt[(i + turn) % threads.size()]}});
  }

private:
  const Machine &machine_;
  Time period_;
};

class BestStatic final : public Policy {
public:
  explicit BestStatic(const Setup &setup) : machine_(setup.machine) {}

  void decide(const State &state, Decisions &decisions) override {
    struct Ranked {
      const ThreadState *thread;
      double factor;
      int core_class;
    };
    std::vector<Ranked> ranked;
    const Partitions partitions(machine_, state);
    // Of equal ones those come first that are on faster cores already; new ones take what is left
    // of these.
    const auto class_of = [&](const ThreadState &thread) {
      const int c = partitions.class_of(thread);
      return c < 0 ? machine_.fastest() : c;
    };
    for (const ApplicationState &app : state.apps) {
      const double factor = offline_factors(machine_, app.app->profile).back();
      for (const ThreadState &thread : app.threads)
        if (thread.runnable)
          ranked.push_back({&thread, factor, class_of(thread)});
    }
    std::ranges::stable_sort(ranked, [](const Ranked &a, const Ranked &b) {
      return a.factor != b.factor ? a.factor > b.factor : a.core_class > b.core_class;
    });
    const std::vector<int> dealt = slots(machine_, ranked.size());
    for (std::size_t i = 0; i < ranked.size(); i++)
      decisions.places.push_back(
          {ranked[i].thread->id, {Place::OfClass, machine_.cores[dealt[i]].core_class}});
  }

private:
  const Machine &machine_;
};

} // namespace

std::unique_ptr<Policy> make_sticky(const Setup &) { return std::make_unique<Sticky>(); }
std::unique_ptr<Policy> make_gts(const Setup &setup) { return std::make_unique<Gts>(setup); }
std::unique_ptr<Policy> make_round_robin(const Setup &setup) {
  return std::make_unique<RoundRobin>(setup);
}
std::unique_ptr<Policy> make_best_static(const Setup &setup) {
  return std::make_unique<BestStatic>(setup);
}

} // namespace coord
