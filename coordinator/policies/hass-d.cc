// SPDX-License-Identifier: GPL-3.0-or-later
// HASS-D: speedup factors from misses that are counted while threads run (paper 004, algorithm 2).
#include "model/miss_model.h"
#include "policies/by-factor.h"
#include "policies/settle.h"

#include <cmath>
#include <map>
#include <memory>

namespace coord {

namespace {

class HassD final : public Policy {
public:
  explicit HassD(const Setup &setup)
      : machine_(setup.machine), order_(setup.machine),
        none_(setup["transition"] / 100, static_cast<int>(setup["stable"]), setup["average"]),
        discard_(static_cast<int>(setup["discard"])) {}

  void arrive(const Application &app) override {
    known_[app.id].assign(app.threads, Known{discard_, none_});
  }
  void leave(AppId id) override { known_.erase(id); }
  void resize(const Application &app) override {
    known_[app.id].resize(app.threads, Known{discard_, none_});
  }
  void sample(const Sample &sample) override;
  void decide(const State &state, Decisions &decisions) override;

private:
  struct Known {
    int discard;        // samples that do not count yet
    Settling observed;  // misses per 4096 instructions, or factors
    bool fresh = false; // a new factor, with which no swap was tried
  };

  const Machine &machine_;
  ByFactor order_;
  const Settling none_; // before the first sample
  int discard_;
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
  known.fresh |= known.observed.add(value, [&](double average) {
    return counted ? miss_factors(machine_, average).back() : average;
  });
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
      order_.add(placed, known_[app.app->id][thread.id.index].observed.factor());
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
