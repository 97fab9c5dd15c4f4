// SPDX-License-Identifier: GPL-3.0-or-later
// HASS-S: speedup factors from static signatures (paper 004, algorithm 1).
#include "policies/threads.h"

#include <algorithm>
#include <map>
#include <memory>
#include <random>

namespace coord {

namespace {

class HassS final : public Policy {
public:
  explicit HassS(const Setup &setup)
      : machine_(setup.machine), refresh_s_(setup["refresh_s"]),
        probes_(static_cast<int>(setup["probes"])), gain_(1 + setup["gain"] / 100),
        random_(setup.seed) {}

  void arrive(const Application &app) override {
    known_[app.id] = {offline_factors(machine_, app.profile), std::vector<double>(app.threads),
                      std::vector<unsigned>(app.threads, changes_),
                      !app.profile.factors.empty() || app.profile.misses};
  }
  void leave(AppId id) override { known_.erase(id); }
  // Factors that a runtime measures stand in for those that nobody gave.
  void sample(const Sample &sample) override {
    const auto known = known_.find(sample.thread.app);
    if (known != known_.end() && !known->second.given &&
        sample.factors.size() == machine_.classes.size())
      known->second.factors = sample.factors;
  }
  void resize(const Application &app) override {
    Known &known = known_[app.id];
    known.refreshed.resize(app.threads);
    known.seen.resize(app.threads, changes_);
  }
  void decide(const State &state, Decisions &decisions) override;

private:
  struct Known {
    std::vector<double> factors;
    std::vector<double> refreshed; // CPU time of each thread at its last refresh
    std::vector<unsigned> seen;    // changes_ then
    bool given = false;            // the factors
  };
  struct Entity {
    const ThreadState *thread;
    Known *known;
    int core_class; // now; -1: none yet
  };

  // What an entity with FACTORS gets on class C with THREADS there, itself one of them.
  double expected(const std::vector<double> &factors, int c, int threads) const {
    return factors[c] * std::min(1.0, static_cast<double>(machine_.classes[c].cores) / threads);
  }
  int best(const Entity &entity, const Partitions &partitions) const;
  void put(Entity &entity, int c, Partitions &partitions, Decisions &decisions);
  void rebind(std::size_t index, std::vector<Entity> &entities,
              std::vector<std::vector<std::size_t>> &members, const Partitions &partitions,
              Decisions &decisions);

  const Machine &machine_;
  double refresh_s_;
  int probes_;
  double gain_;
  std::mt19937_64 random_;
  std::map<AppId, Known> known_;
  std::vector<int> loads_; // of the classes, at the last decision
  unsigned changes_ = 0;   // how often they have changed
};

// The class that promises most, of those that leave no core idle.
int HassS::best(const Entity &entity, const Partitions &partitions) const {
  const int here = entity.core_class;
  if (here == machine_.fastest() && partitions.threads(here) <= machine_.classes[here].cores)
    return here;
  const auto promise = [&](int c) {
    return expected(entity.known->factors, c, partitions.threads(c) + (c != here));
  };
  // As printed, a thread may leave a core idle for a part of a faster one; the paper's text rules
  // that out.
  const bool only_idle =
      partitions.idle() || (here >= 0 && partitions.threads(here) <= machine_.classes[here].cores);
  int found = here;
  for (int c = machine_.fastest(); c >= 0; c--)
    if (c != here && (!only_idle || partitions.idle(c)) &&
        (found < 0 || promise(c) > promise(found)))
      found = c;
  return found;
}

void HassS::put(Entity &entity, int c, Partitions &partitions, Decisions &decisions) {
  partitions.move(entity.core_class, c);
  entity.core_class = c;
  decisions.places.push_back({entity.thread->id, {Place::OfClass, c}});
}

// Optimistic rebinding: a few threads at random; the first with which a swap helps ENTITY and the
// system.
void HassS::rebind(std::size_t index, std::vector<Entity> &entities,
                   std::vector<std::vector<std::size_t>> &members, const Partitions &partitions,
                   Decisions &decisions) {
  Entity &entity = entities[index];
  for (int probe = 0; probe < probes_; probe++) {
    const int here = entity.core_class;
    int there = static_cast<int>(random_() % (members.size() - 1));
    there += there >= here;
    if (members[there].empty())
      continue;
    std::size_t &slot = members[there][random_() % members[there].size()];
    Entity &other = entities[slot];
    const auto value = [&](const Entity &each, int c) {
      return expected(each.known->factors, c, partitions.threads(c));
    };
    if (value(entity, there) > value(entity, here) &&
        value(entity, there) * value(other, here) >
            gain_ * value(entity, here) * value(other, there)) {
      std::swap(entity.core_class, other.core_class);
      *std::ranges::find(members[here], index) = slot;
      slot = index;
      decisions.places.push_back({entity.thread->id, {Place::OfClass, entity.core_class}});
      decisions.places.push_back({other.thread->id, {Place::OfClass, other.core_class}});
      return;
    }
  }
}

void HassS::decide(const State &state, Decisions &decisions) {
  Partitions partitions(machine_, state);
  std::vector<Entity> entities;
  std::vector<std::vector<std::size_t>> members(machine_.classes.size());
  for (const ApplicationState &app : state.apps)
    for (const ThreadState &thread : app.threads)
      if (thread.runnable)
        entities.push_back({&thread, &known_[app.app->id], partitions.class_of(thread)});
  for (Entity &entity : entities)
    if (entity.core_class < 0)
      put(entity, best(entity, partitions), partitions, decisions);
  std::vector<int> loads;
  for (int c = 0; c < machine_.class_count(); c++)
    loads.push_back(partitions.threads(c));
  changes_ += loads != loads_;
  for (std::size_t i = 0; i < entities.size(); i++)
    members[entities[i].core_class].push_back(i);
  for (std::size_t i = 0; i < entities.size(); i++) {
    Entity &entity = entities[i];
    double used = 0;
    for (const double each : entity.thread->cpu_s)
      used += each;
    double &refreshed = entity.known->refreshed[entity.thread->id.index];
    if (used - refreshed < refresh_s_)
      continue;
    refreshed = used;
    unsigned &seen = entity.known->seen[entity.thread->id.index];
    if (seen != changes_) {
      seen = changes_;
      const int before = entity.core_class, c = best(entity, partitions);
      if (c != before) {
        put(entity, c, partitions, decisions);
        std::erase(members[before], i);
        members[c].push_back(i);
        continue;
      }
    }
    if (members.size() > 1)
      rebind(i, entities, members, partitions, decisions);
  }
  loads_ = loads;
}

} // namespace

std::unique_ptr<Policy> make_hass_s(const Setup &setup) { return std::make_unique<HassS>(setup); }

} // namespace coord
