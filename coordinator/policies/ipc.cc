// SPDX-License-Identifier: GPL-3.0-or-later
// The IPC-driven scheduler of Becchi and Crowley as paper 004 built it (algorithm 3): a thread's
// speedup is measured by moving the thread to the other class for a moment. What it finds there may
// be of another phase.
#include "policies/by-factor.h"
#include "policies/settle.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

namespace coord {

namespace {

class Ipc final : public Policy {
public:
  explicit Ipc(const Setup &setup)
      : machine_(setup.machine), order_(setup.machine), refresh_s_(setup["refresh_ms"] / 1e3),
        threshold_(setup["threshold"] / 100), average_(setup["average"]),
        inactivity_(static_cast<Time>(setup["inactivity_s"] * kSecond)),
        warm_up_(static_cast<Time>(setup["warm_up_ms"] * kMillisecond)),
        page_(setup["page"] >= 0.5) {
    for (const int c : {0, machine_.fastest()})
      if (ends_.empty() || ends_.back() != c)
        ends_.push_back(c);
  }

  Time period() const override { return 10 * kMillisecond; }
  void arrive(const Application &app) override { known_[app.id].assign(app.threads, none()); }
  void leave(AppId id) override { known_.erase(id); }
  void resize(const Application &app) override { known_[app.id].resize(app.threads, none()); }
  void sample(const Sample &sample) override;
  void decide(const State &state, Decisions &decisions) override;

private:
  struct Known {
    enum { WarmUp, Refreshing, Pinned } phase = WarmUp;
    Time started = -1;                  // the first decision that saw it
    Time moved = 0;                     // its last measurement began, or its last swap
    int home = -1;                      // its class, also while it is measured elsewhere
    int away = -1;                      // the class on which it is measured
    double cpu_s = 0, instructions = 0; // of the interval that is being counted
    // Instructions per second by class, -1: none. That of home is a running average.
    std::vector<double> rates;
    double last = -1;     // that of the last interval at home alone
    bool changed = false; // its rate has, since the last measurement
    bool fresh = false;   // a new factor, with which no swap was tried
    double factor = 1;    // fastest class over slowest
    Settling page{kTransition, kStable, kAverage, true}; // factors that a runtime measured
  };
  // A thread of which there is no sample yet.
  Known none() const { return {.rates = std::vector<double>(machine_.classes.size(), -1)}; }
  // Of HASS-D: the filter for factors that a runtime measures.
  static constexpr double kTransition = 0.12, kAverage = 0.5;
  static constexpr int kStable = 2;
  void count(Known &known, double rate);
  bool measure_now(const Known &known, Time now) const;
  int next_class(Known &known, Time now);
  void swap_fresh(const State &state, Decisions &decisions);
  void settle_at_home(const Decisions &decisions, Time now);
  // The slowest or the fastest class, if KNOWN was not measured there; -1: it was on both. A thread
  // of a class between them is measured on both.
  int next_end(const Known &known) const {
    for (const int c : ends_)
      if (known.rates[c] < 0)
        return c;
    return -1;
  }
  static void forget_but_home(Known &known) {
    for (std::size_t c = 0; c < known.rates.size(); c++)
      if (static_cast<int>(c) != known.home)
        known.rates[c] = -1;
  }

  const Machine &machine_;
  ByFactor order_;
  std::vector<int> ends_; // the slowest and the fastest class
  double refresh_s_, threshold_, average_;
  Time inactivity_, warm_up_;
  bool page_;
  std::map<AppId, std::vector<Known>> known_;
};

// An interval at RATE has ended.
void Ipc::count(Known &known, double rate) {
  if (known.phase == Known::Refreshing) {
    known.rates[known.away] = rate;
    return;
  }
  double &home = known.rates[known.home];
  if (home < 0)
    home = known.last = rate;
  known.changed = std::abs(rate - known.last) > threshold_ * known.last;
  known.last = rate;
  home += average_ * (rate - home);
}

void Ipc::sample(const Sample &sample) {
  Known &known = known_[sample.thread.app][sample.thread.index];
  if (page_) {
    if (sample.factors.size() != machine_.classes.size())
      return;
    const double factor = sample.factors.back();
    if (!std::isfinite(factor) || factor <= 0)
      return;
    if (known.page.add(factor, [](double value) { return value; })) {
      known.factor = known.page.factor();
      known.fresh = true;
    }
    return;
  }
  // The interval during which it moved belongs to neither class.
  const int expected = known.phase == Known::Refreshing ? known.away : known.home;
  if (known.home < 0 || sample.core_class != expected)
    return;
  const double instructions = sample.instructions.value_or(-1);
  if (!(sample.cpu_s > 0 && sample.cpu_s < 1e6 && instructions >= 0 && instructions < 1e18))
    return;
  known.cpu_s += sample.cpu_s;
  known.instructions += instructions;
  if (known.cpu_s >= refresh_s_ * 0.999) {
    count(known, known.instructions / known.cpu_s);
    known.cpu_s = known.instructions = 0;
  }
}

// Whether a measurement of KNOWN begins.
bool Ipc::measure_now(const Known &known, Time now) const {
  if (page_ || known.phase == Known::Refreshing || !(known.rates[known.home] > 0) ||
      machine_.class_count() <= 1)
    return false;
  return known.phase == Known::WarmUp ? now - known.started >= warm_up_
                                      : known.changed && now - known.moved >= inactivity_;
}

// The class to which KNOWN, which has a home, goes; -1: it stays where it is.
int Ipc::next_class(Known &known, Time now) {
  if (known.phase == Known::Refreshing && known.rates[known.away] > 0) {
    known.away = next_end(known);
    if (known.away >= 0)
      return known.away;
    const double ratio = known.rates[machine_.fastest()] / known.rates[0];
    known.factor = std::isfinite(ratio) ? ratio : 1;
    known.fresh = true;
    known.phase = Known::Pinned;
    return known.home;
  }
  if (!measure_now(known, now))
    return -1;
  known.phase = Known::Refreshing;
  known.moved = now;
  forget_but_home(known);
  known.away = next_end(known);
  return known.away;
}

// A thread with a new factor changes places if that is worth it.
void Ipc::swap_fresh(const State &state, Decisions &decisions) {
  for (auto &[id, threads] : known_)
    for (std::size_t i = 0; i < threads.size(); i++)
      if (threads[i].fresh && (threads[i].phase == Known::Pinned || page_) &&
          state.find(id)->threads[i].runnable) {
        threads[i].fresh = false;
        order_.swap({id, static_cast<int>(i)}, decisions);
      }
}

// Swaps and balance change where threads are at home; a measurement does not.
void Ipc::settle_at_home(const Decisions &decisions, Time now) {
  for (const auto &[thread, place] : decisions.places) {
    Known &known = known_[thread.app][thread.index];
    if (known.phase == Known::Refreshing || known.home == place.index)
      continue;
    known.home = place.index;
    std::ranges::fill(known.rates, -1);
    known.moved = now;
    known.cpu_s = known.instructions = 0;
  }
}

void Ipc::decide(const State &state, Decisions &decisions) {
  order_.begin(state);
  Partitions &partitions = order_.partitions();
  bool measuring = false;
  for (const ApplicationState &app : state.apps)
    for (const ThreadState &thread : app.threads) {
      Known &known = known_[app.app->id][thread.id.index];
      if (!thread.runnable)
        continue;
      int to;
      if (known.home < 0) {
        known.started = state.now;
        to = known.home = partitions.emptiest();
      } else
        to = next_class(known, state.now);
      if (to >= 0) {
        partitions.move(partitions.class_of(thread), to);
        decisions.places.push_back({thread.id, {Place::OfClass, to}});
        known.cpu_s = known.instructions = 0;
      }
      // A change that comes too early after a measurement is missed.
      known.changed = false;
      measuring |= known.phase == Known::Refreshing;
      if (known.phase == Known::Pinned || page_) {
        ThreadState pinned = thread;
        pinned.place = {Place::OfClass, known.home};
        order_.add(pinned, known.factor);
      }
    }
  swap_fresh(state, decisions);
  // Not while the measured ones are elsewhere: they come back.
  if (!measuring)
    order_.rebalance(decisions);
  settle_at_home(decisions, state.now);
}

} // namespace

std::unique_ptr<Policy> make_ipc(const Setup &setup) { return std::make_unique<Ipc>(setup); }

} // namespace coord
