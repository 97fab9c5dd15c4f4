// SPDX-License-Identifier: GPL-3.0-or-later
// HASS-D: speedup factors from misses that are counted while threads run (paper 004, algorithm 2).
#include "model/miss_model.h"
#include "policies/by-factor.h"

#include <cmath>
#include <map>
#include <memory>

namespace coord {

namespace {

class HassD final : public Policy {
public:
  explicit HassD(const Setup &setup)
      : machine_(setup.machine), order_(setup.machine), transition_(setup["transition"] / 100),
        average_(setup["average"]), stable_(static_cast<int>(setup["stable"])),
        discard_(static_cast<int>(setup["discard"])) {}

  void arrive(const Application &app) override {
    known_[app.id].assign(app.threads, Known{.discard = discard_});
  }
  void leave(AppId id) override { known_.erase(id); }
  void resize(const Application &app) override {
    known_[app.id].resize(app.threads, Known{.discard = discard_});
  }
  void sample(const Sample &sample) override;
  void decide(const State &state, Decisions &decisions) override;

private:
  struct Known {
    int discard;          // samples that do not count yet
    double average = -1;  // of misses; -1: none yet
    int quiet = 0;        // samples since the last transition
    bool settled = false; // the factor is of this phase
    bool fresh = false;   // a new factor, with which no swap was tried
    double factor = 1;    // the lowest there is: newcomers push nobody out
  };

  const Machine &machine_;
  ByFactor order_;
  double transition_, average_;
  int stable_, discard_;
  std::map<AppId, std::vector<Known>> known_;
};

void HassD::sample(const Sample &sample) {
  Known &known = known_[sample.thread.app][sample.thread.index];
  if (sample.cold)
    known.discard = std::max(known.discard, discard_);
  if (known.discard > 0) {
    known.discard--;
    return;
  }
  // Without a count of misses the factor that a runtime measures, which is what they stand for.
  const bool counted = sample.misses || sample.factors.size() != machine_.classes.size();
  const double value = counted ? sample.misses.value_or(-1) : sample.factors.back();
  if (!std::isfinite(value) || value < 0 || value > 4096)
    return;
  if (known.average < 0) {
    known.average = value;
    return;
  }
  const double before = known.average;
  known.average += average_ * (value - before);
  if (std::abs(known.average - before) > transition_ * before) {
    known.quiet = 0;
    known.settled = false;
  } else if (++known.quiet >= stable_ && !known.settled) {
    known.settled = known.fresh = true;
    known.factor = counted ? miss_factors(machine_, known.average).back() : known.average;
  }
}

void HassD::decide(const State &state, Decisions &decisions) {
  order_.begin(state);
  for (const ApplicationState &app : state.apps)
    for (const ThreadState &thread : app.threads) {
      if (!thread.runnable)
        continue;
      ThreadState placed = thread;
      if (order_.partitions().class_of(thread) < 0) {
        placed.place = {Place::OfClass, order_.partitions().emptiest()};
        order_.partitions().move(-1, placed.place.index);
        decisions.places.push_back({thread.id, placed.place});
      }
      order_.add(placed, known_[app.app->id][thread.id.index].factor);
    }
  for (auto &[id, threads] : known_)
    for (std::size_t i = 0; i < threads.size(); i++)
      if (threads[i].fresh && state.find(id)->threads[i].runnable) {
        threads[i].fresh = false;
        order_.swap({id, static_cast<int>(i)}, decisions);
      }
  order_.rebalance(decisions);
}

} // namespace

std::unique_ptr<Policy> make_hass_d(const Setup &setup) { return std::make_unique<HassD>(setup); }

} // namespace coord
