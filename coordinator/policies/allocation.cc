// SPDX-License-Identifier: GPL-3.0-or-later
// The policies that allocate cores: what they know of applications, and when they change their
// mind. An application of which no thread wants to run lends its cores, and one of which some do
// wants as many.
//
// If there are more applications than cores, those wait that have had most of the machine for their
// weight. Otherwise equi and share leave no application without a core; the others leave out an
// application while all others gain more by each core.
#include "model/estimate.h"
#include "policies/allocate.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace coord {

namespace {

// From demands, whose weights are the applications' own, to cores.
using Rule = std::function<Allocation(std::span<const int>, std::vector<Demand> &)>;

// For the rules that maximise a sum: throughputs over those alone, or as they are.
void normalise(std::span<const int> cores, std::vector<Demand> &demands, bool absolute) {
  for (Demand &demand : demands)
    if (const double best = alone(cores, demand); !absolute && best > 0)
      demand.weight /= best;
}

class Allocating final : public Policy {
public:
  Allocating(const Machine &machine, Rule rule) : machine_(machine), rule_(std::move(rule)) {
    for (const CoreClass &core_class : machine.classes)
      cores_.push_back(core_class.cores);
  }

  void arrive(const Application &app) override {
    // It has had as much as the one that has had least, or it would keep all others waiting.
    double least = 0;
    for (auto known = known_.begin(); known != known_.end(); ++known)
      least = known == known_.begin() ? known->second.had : std::min(least, known->second.had);
    known_.emplace(app.id, Known{Estimate(machine_, app.profile.factors), {}, {}, least});
    changed_ = true;
  }

  void leave(AppId id) override {
    known_.erase(id);
    changed_ = true;
  }

  void resize(const Application &) override { changed_ = true; }

  void sample(const Sample &sample) override {
    if (const auto known = known_.find(sample.thread.app); known != known_.end())
      known->second.estimate.add(sample, known->second.cores);
  }

  void decide(const State &state, Decisions &decisions) override {
    const double passed = seconds(state.now - decided_);
    decided_ = state.now;
    std::vector<const ApplicationState *> apps;
    for (const ApplicationState &app : state.apps) {
      Known &known = known_.at(app.app->id);
      const int before = std::exchange(known.wanted, wants(app));
      changed_ |= known.wanted != before;
      for (std::size_t c = 0; c < cores_.size(); c++)
        known.had +=
            passed * known.cores[c] * machine_.clock_ratio(static_cast<int>(c)) / app.app->weight;
      if (known.wanted > 0)
        apps.push_back(&app);
      else
        give(app, {}, decisions);
    }
    const std::size_t places = std::reduce(cores_.begin(), cores_.end());
    const bool turns = apps.size() > places;
    if (turns) {
      if (!changed_ && state.now - turned_ < kTurn)
        return;
      turned_ = state.now;
      std::ranges::stable_sort(
          apps, {}, [&](const ApplicationState *app) { return known_.at(app->app->id).had; });
      for (std::size_t i = places; i < apps.size(); i++)
        give(*apps[i], {}, decisions);
      apps.resize(places);
      std::ranges::sort(apps, {}, [](const ApplicationState *app) { return app->app->id; });
    }
    std::vector<Demand> demands;
    Allocation now;
    for (const ApplicationState *app : apps) {
      Known &known = known_.at(app->app->id);
      const Throughput *p = app->app->profile.throughput.get();
      if (!p)
        p = &known.throughput.emplace(known.estimate.throughput());
      demands.push_back({p, known.wanted, app->app->weight});
      now.push_back(known.cores);
    }
    const Allocation next = allocate(apps, demands);
    normalise(cores_, demands, false);
    const bool kept =
        !changed_ && !turns &&
        value(cores_, demands, next) <= (1 + kLeastGain) * value(cores_, demands, now);
    changed_ = false;
    // Which threads of an application run has to follow those that block, also if all cores stay.
    for (std::size_t i = 0; i < apps.size(); i++)
      if (!kept || !apps[i]->app->malleable)
        give(*apps[i], kept ? now[i] : next[i], decisions);
  }

private:
  struct Known {
    Estimate estimate;
    std::optional<AmdahlThroughput> throughput; // of the estimate
    Counts cores{};
    double had = 0; // seconds of class 0, over its weight
    int wanted = 0; // cores
  };
  // With more applications than cores, how long they run before others do.
  static constexpr Time kTurn = 500 * kMillisecond;
  // Less is not worth a change while the applications are the same.
  static constexpr double kLeastGain = 0.03;

  static int wants(const ApplicationState &state) {
    return state.app->malleable
               ? static_cast<int>(std::ranges::count_if(state.threads, &ThreadState::runnable))
               : state.app->threads;
  }

  // An application of which nothing is known gets an equal part, by which it will be.
  Allocation allocate(const std::vector<const ApplicationState *> &apps,
                      const std::vector<Demand> &demands) {
    Allocation next = equi(cores_, demands);
    std::vector<int> left = cores_;
    std::vector<std::size_t> known;
    std::vector<Demand> of_known;
    for (std::size_t i = 0; i < apps.size(); i++)
      if (apps[i]->app->profile.throughput || known_.at(apps[i]->app->id).estimate.known()) {
        known.push_back(i);
        of_known.push_back(demands[i]);
      } else
        for (std::size_t c = 0; c < left.size(); c++)
          left[c] -= next[i][c];
    const Allocation by_rule = rule_(left, of_known);
    for (std::size_t i = 0; i < known.size(); i++)
      next[known[i]] = by_rule[i];
    return next;
  }

  void give(const ApplicationState &state, const Counts &cores, Decisions &decisions) {
    const Application &app = *state.app;
    Known &known = known_.at(app.id);
    if (app.malleable) {
      std::vector<int> grant(cores.begin(), cores.begin() + cores_.size());
      if (!state.granted || state.grant != grant)
        decisions.grants.push_back({app.id, std::move(grant)});
    } else {
      // Its threads, those that want to run first, are on classes that have a core to spare for
      // each.
      std::vector<int> order(app.threads);
      std::iota(order.begin(), order.end(), 0);
      std::ranges::stable_partition(order, [&](int i) { return state.threads[i].runnable; });
      auto thread = order.begin();
      for (int c = machine_.fastest(); c >= 0; c--)
        for (int i = 0; i < cores[c] && thread != order.end(); i++, ++thread)
          decisions.places.push_back({{app.id, *thread}, {Place::OfClass, c}});
      for (; thread != order.end(); ++thread)
        decisions.places.push_back({{app.id, *thread}, {Place::Hold, -1}});
    }
    known.cores = cores;
  }

  const Machine &machine_;
  const Rule rule_;
  std::vector<int> cores_;
  std::map<AppId, Known> known_;
  bool changed_ = false; // applications came or went
  Time decided_ = 0, turned_ = 0;
};

} // namespace

std::unique_ptr<Policy> make_a_greedy(const Setup &setup) {
  const bool absolute = setup["absolute"] != 0;
  return std::make_unique<Allocating>(
      setup.machine, [=](std::span<const int> cores, std::vector<Demand> &demands) {
        normalise(cores, demands, absolute);
        return a_greedy(cores, demands);
      });
}

std::unique_ptr<Policy> make_a_exact(const Setup &setup) {
  const bool absolute = setup["absolute"] != 0;
  return std::make_unique<Allocating>(
      setup.machine, [=](std::span<const int> cores, std::vector<Demand> &demands) {
        normalise(cores, demands, absolute);
        return a_exact(cores, demands);
      });
}

std::unique_ptr<Policy> make_mts(const Setup &setup) {
  const bool absolute = setup["absolute"] != 0;
  return std::make_unique<Allocating>(
      setup.machine, [=](std::span<const int> cores, std::vector<Demand> &demands) {
        normalise(cores, demands, absolute);
        return mts_like(cores, demands);
      });
}

std::unique_ptr<Policy> make_equi(const Setup &setup) {
  return std::make_unique<Allocating>(setup.machine,
                                      [](std::span<const int> cores, std::vector<Demand> &demands) {
                                        return equi(cores, demands);
                                      });
}

std::unique_ptr<Policy> make_share(const Setup &setup) {
  const double gain = setup["gain"], floor = setup["floor"];
  std::vector<double> capacity;
  for (int c = 0; c < setup.machine.class_count(); c++)
    capacity.push_back(setup.machine.clock_ratio(c));
  return std::make_unique<Allocating>(
      setup.machine, [=](std::span<const int> cores, std::vector<Demand> &demands) {
        return share(cores, demands, capacity, gain, floor);
      });
}

} // namespace coord
