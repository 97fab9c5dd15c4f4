// SPDX-License-Identifier: GPL-3.0-or-later
// The IPC-driven scheduler of Becchi and Crowley as paper 004 built it (algorithm 3): a thread's
// speedup is measured by moving the thread to the other class for a moment. What it finds there may
// be of another phase.
#include "policies/by-factor.h"

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
        page_(setup["page"] >= 0.5) {}

  Time period() const override { return 10 * kMillisecond; }
  void arrive(const Application &app) override { known_[app.id].resize(app.threads); }
  void leave(AppId id) override { known_.erase(id); }
  void resize(const Application &app) override { known_[app.id].resize(app.threads); }
  void sample(const Sample &sample) override;
  void decide(const State &state, Decisions &decisions) override;

private:
  struct Known {
    enum { WarmUp, Refreshing, Pinned } phase = WarmUp;
    Time started = -1;                  // the first decision that saw it
    Time refreshed = 0;                 // its last measurement began
    int home = -1;                      // its class, also while it is measured elsewhere
    double cpu_s = 0, instructions = 0; // of the interval that is being counted
    double rate = -1;      // instructions per second at home, running average; -1: none yet
    double last = -1;      // that of the last interval alone
    double rate_away = -1; // the same where it is measured
    bool changed = false;  // its rate has, since the last measurement
    bool fresh = false;    // a new factor, with which no swap was tried
    double factor = 1;
  };
  void count(Known &known, double rate);

  const Machine &machine_;
  ByFactor order_;
  double refresh_s_, threshold_, average_;
  Time inactivity_, warm_up_;
  bool page_;
  std::map<AppId, std::vector<Known>> known_;
};

// An interval at RATE has ended.
void Ipc::count(Known &known, double rate) {
  if (known.phase == Known::Refreshing) {
    known.rate_away = rate;
    return;
  }
  if (known.rate < 0)
    known.rate = known.last = rate;
  known.changed = std::abs(rate - known.last) > threshold_ * known.last;
  known.last = rate;
  known.rate += average_ * (rate - known.rate);
}

void Ipc::sample(const Sample &sample) {
  Known &known = known_[sample.thread.app][sample.thread.index];
  if (page_) {
    if (sample.factors.size() != machine_.classes.size())
      return;
    const double factor = sample.factors.back();
    if (!std::isfinite(factor) || factor <= 0)
      return;
    known.fresh |= std::abs(factor - known.factor) > threshold_ * known.factor;
    known.factor += average_ * (factor - known.factor);
    return;
  }
  // The interval during which it moved belongs to neither class.
  if (known.home < 0 || (sample.core_class == known.home) == (known.phase == Known::Refreshing))
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

void Ipc::decide(const State &state, Decisions &decisions) {
  order_.begin(state);
  Partitions &partitions = order_.partitions();
  bool measuring = false;
  for (const ApplicationState &app : state.apps)
    for (const ThreadState &thread : app.threads) {
      Known &known = known_[app.app->id][thread.id.index];
      if (!thread.runnable)
        continue;
      const auto go = [&](int c) {
        partitions.move(partitions.class_of(thread), c);
        decisions.places.push_back({thread.id, {Place::OfClass, c}});
        known.cpu_s = known.instructions = 0;
      };
      if (known.home < 0) {
        known.started = state.now;
        known.home = partitions.emptiest();
        go(known.home);
      } else if (known.phase == Known::Refreshing && known.rate_away > 0) {
        const bool at_home_fast = known.home == machine_.fastest();
        const double ratio =
            at_home_fast ? known.rate / known.rate_away : known.rate_away / known.rate;
        known.factor = std::isfinite(ratio) ? ratio : 1;
        known.fresh = true;
        known.phase = Known::Pinned;
        go(known.home);
      } else if (!page_ && known.phase != Known::Refreshing && known.rate > 0 &&
                 machine_.class_count() > 1 &&
                 (known.phase == Known::WarmUp
                      ? state.now - known.started >= warm_up_
                      : known.changed && state.now - known.refreshed >= inactivity_)) {
        known.phase = Known::Refreshing;
        known.refreshed = state.now;
        known.rate_away = -1;
        go(known.home == machine_.fastest() ? 0 : machine_.fastest());
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
  for (auto &[id, threads] : known_)
    for (std::size_t i = 0; i < threads.size(); i++)
      if (threads[i].fresh && (threads[i].phase == Known::Pinned || page_) &&
          state.find(id)->threads[i].runnable) {
        threads[i].fresh = false;
        order_.swap({id, static_cast<int>(i)}, decisions);
      }
  // Not while the measured ones are elsewhere: they come back.
  if (!measuring)
    order_.rebalance(decisions);
  // Swaps and balance change where threads are at home; a measurement does not.
  for (std::size_t i = 0; i < decisions.places.size(); i++) {
    const auto &[thread, place] = decisions.places[i];
    Known &known = known_[thread.app][thread.index];
    if (known.phase == Known::Refreshing || known.home == place.index)
      continue;
    known.home = place.index;
    known.rate = -1;
    known.cpu_s = known.instructions = 0;
  }
}

} // namespace

std::unique_ptr<Policy> make_ipc(const Setup &setup) { return std::make_unique<Ipc>(setup); }

} // namespace coord
