// SPDX-License-Identifier: GPL-3.0-or-later
// The contention-aware policy of paper 002, and what it is compared with: policies that run one
// thread a core, while the others wait, and start the next where one ends.
//
// None of them starves threads by its own rule in a closed list. A thread that the threshold keeps
// out waits as long as there are others to take: with endless arrivals that can be forever, as in
// the paper.
#include "policies/contention.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <set>
#include <string_view>

namespace coord {

namespace {

class OnePerCore : public Policy {
public:
  explicit OnePerCore(const Setup &setup) : machine_(setup.machine), pull_(setup["pull"] != 0) {
    for (int core = 0; core < machine_.core_count(); core++)
      order_.push_back(core);
    std::ranges::stable_sort(order_, std::greater(),
                             [&](int core) { return machine_.cores[core].core_class; });
  }

  // Nothing happens but at events.
  Time period() const override { return 3600 * kSecond; }

  void decide(const State &state, Decisions &decisions) override;

protected:
  struct Thread {
    ThreadId id;
    const Application *app;
    int core; // -1: it waits
  };

  // The one of WAITING to start on CORE. They are not empty, and in the order in which the core
  // takes them: fast cores those of high SF first, the slowest those of low SF, then by arrival.
  virtual const Thread *choose(const std::vector<const Thread *> &waiting, int core) = 0;
  // The one of RUNNING, threads on slower cores than the idle CORE, to move there; ordered alike.
  virtual const Thread *choose_pulled(const std::vector<const Thread *> &running) {
    return running[0];
  }

  const Machine &machine_;
  std::vector<Thread> running_; // the threads that have a core, of the last decision

private:
  double factor(const Application &app) const {
    const double known = app.profile.factors.empty() ? 0 : app.profile.factors.back();
    return std::isfinite(known) && known > 0 ? known : machine_.clock_ratio(machine_.fastest());
  }
  std::vector<const Thread *> by_factor(const std::vector<Thread> &threads, bool slow) const {
    std::vector<const Thread *> order;
    for (const Thread &thread : threads)
      order.push_back(&thread);
    std::ranges::stable_sort(order, {}, [&](const Thread *thread) {
      return slow ? factor(*thread->app) : -factor(*thread->app);
    });
    return order;
  }

  bool pull_;
  std::vector<int> order_; // in which idle cores take threads
};

void OnePerCore::decide(const State &state, Decisions &decisions) {
  std::vector<Thread> waiting;
  std::vector<char> taken(machine_.cores.size());
  running_.clear();
  for (const ApplicationState &app : state.apps)
    for (const ThreadState &thread : app.threads) {
      if (thread.place.kind == Place::OnCore) {
        running_.push_back({thread.id, app.app, thread.place.index});
        taken[thread.place.index] = 1;
        continue;
      }
      if (thread.runnable)
        waiting.push_back({thread.id, app.app, -1});
      if (thread.place.kind != Place::Hold)
        decisions.places.push_back({thread.id, {Place::Hold}});
    }
  std::vector<const Thread *> for_fast, for_slow;
  if (std::ranges::count(taken, 0) > 0) {
    for_fast = by_factor(waiting, false);
    for_slow = by_factor(waiting, true);
  }
  for (const int core : order_) {
    if (taken[core])
      continue;
    if (!for_fast.empty()) {
      const bool slow = machine_.cores[core].core_class == 0 && machine_.class_count() > 1;
      const Thread *const chosen = choose(slow ? for_slow : for_fast, core);
      running_.push_back({chosen->id, chosen->app, core});
      decisions.places.push_back({chosen->id, {Place::OnCore, core}});
      std::erase(for_fast, chosen);
      std::erase(for_slow, chosen);
    } else if (pull_) {
      std::vector<const Thread *> slower = by_factor(running_, false);
      std::erase_if(slower, [&](const Thread *thread) {
        return machine_.cores[thread->core].core_class >= machine_.cores[core].core_class;
      });
      if (slower.empty())
        continue;
      const ThreadId pulled = choose_pulled(slower)->id;
      std::ranges::find(running_, pulled, &Thread::id)->core = core;
      decisions.places.push_back({pulled, {Place::OnCore, core}});
    }
  }
}

// Knows nothing of programs.
class RandomOrder final : public OnePerCore {
public:
  explicit RandomOrder(const Setup &setup) : OnePerCore(setup), random_(setup.seed) {}

protected:
  const Thread *choose(const std::vector<const Thread *> &waiting, int) override {
    return waiting[std::uniform_int_distribution<std::size_t>(0, waiting.size() - 1)(random_)];
  }
  const Thread *choose_pulled(const std::vector<const Thread *> &running) override {
    return choose(running, -1);
  }

private:
  std::mt19937_64 random_;
};

class SfDriven final : public OnePerCore {
public:
  using OnePerCore::OnePerCore;

protected:
  const Thread *choose(const std::vector<const Thread *> &waiting, int) override {
    return waiting[0];
  }
};

// 002, Algorithm 1: the first thread that slows no one beyond the threshold; if there is none, the
// one of the least sum of slowdowns.
class Contention : public OnePerCore {
public:
  Contention(const Setup &setup, std::shared_ptr<const SlowdownModel> model)
      : OnePerCore(setup), threshold_(setup["threshold"]), model_(std::move(model)) {}

protected:
  const Thread *choose(const std::vector<const Thread *> &waiting, int core) override {
    std::vector<Resident> together;
    for (const Thread &thread : running_)
      together.push_back({thread.app, thread.core});
    together.emplace_back();
    std::vector<double> percent(together.size());
    const Thread *best = waiting[0];
    double least = INFINITY;
    // What models know an application by; of those that are alike the first stands for all.
    std::set<std::pair<std::string_view, const ContentionProfile *>> seen;
    for (const Thread *const candidate : waiting) {
      if (!seen.emplace(candidate->app->name, candidate->app->profile.contention.get()).second)
        continue;
      together.back() = {candidate->app, core};
      model_->predict(machine_, together, percent);
      if (std::ranges::max(percent) <= threshold_)
        return candidate;
      double sum = 0;
      for (const double slowdown : percent)
        sum += slowdown;
      if (sum < least) {
        least = sum;
        best = candidate;
      }
    }
    return best;
  }

private:
  double threshold_;
  std::shared_ptr<const SlowdownModel> model_;
};

} // namespace

std::unique_ptr<Policy> make_random_order(const Setup &setup) {
  return std::make_unique<RandomOrder>(setup);
}
std::unique_ptr<Policy> make_sf_driven(const Setup &setup) {
  return std::make_unique<SfDriven>(setup);
}
std::unique_ptr<Policy> make_contention(const Setup &setup) {
  return make_contention_by(setup, std::make_shared<PressureModel>());
}
std::unique_ptr<Policy> make_contention_by(const Setup &setup,
                                           std::shared_ptr<const SlowdownModel> model) {
  return std::make_unique<Contention>(setup, std::move(model));
}
} // namespace coord
