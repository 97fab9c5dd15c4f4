// SPDX-License-Identifier: GPL-3.0-or-later
// HAFS: equal time on fast cores for all threads (paper 004, algorithm 4). The balance counter is
// the CPU time that a thread had since it came to its class; it starts at 0 there, so that a
// threshold says how long it stays.
#include "policies/threads.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <tuple>

namespace coord {

namespace {

class Hafs final : public Policy {
public:
  explicit Hafs(const Setup &setup) : machine_(setup.machine) {
    for (const CoreClass &each : machine_.classes)
      thresholds_.push_back(setup["quantum_ms"] / 1e3 * each.cores / machine_.core_count());
  }

  Time period() const override { return 10 * kMillisecond; }
  void arrive(const Application &app) override { known_[app.id].resize(app.threads); }
  void leave(AppId id) override { known_.erase(id); }
  void resize(const Application &app) override { known_[app.id].resize(app.threads); }
  void decide(const State &state, Decisions &decisions) override;

private:
  struct Known {
    int core_class = -1;
    double since = 0;   // CPU time of the thread when it came to its class
    Time expired = -1;  // when it passed its threshold
    double counter = 0; // CPU time since it came
  };
  struct Entity {
    const ThreadState *thread;
    Known *known;
  };
  void put(Entity entity, int c, Partitions &partitions, Decisions &decisions);

  const Machine &machine_;
  std::vector<double> thresholds_; // by class, seconds
  std::map<AppId, std::vector<Known>> known_;
};

double used(const ThreadState &thread) {
  return std::accumulate(thread.cpu_s.begin(), thread.cpu_s.end(), 0.0);
}

void Hafs::put(Entity entity, int c, Partitions &partitions, Decisions &decisions) {
  Known &known = *entity.known;
  double carried = 0;
  if (known.core_class >= 0) {
    const double threshold = thresholds_[known.core_class];
    carried = std::clamp((known.counter - threshold) / threshold, -1.0, 1.0) * thresholds_[c];
  }
  partitions.move(known.core_class, c);
  known = {c, used(*entity.thread) + carried, -1, 0};
  decisions.places.push_back({entity.thread->id, {Place::OfClass, c}});
}

void Hafs::decide(const State &state, Decisions &decisions) {
  Partitions partitions(machine_, state);
  const int classes = machine_.class_count();
  std::vector<std::vector<Entity>> members(classes);
  for (const ApplicationState &app : state.apps)
    for (const ThreadState &thread : app.threads) {
      if (!thread.runnable)
        continue;
      Entity entity{&thread, &known_[app.app->id][thread.id.index]};
      if (entity.known->core_class < 0)
        put(entity, partitions.emptiest(), partitions, decisions);
      Known &known = *entity.known;
      known.counter = used(thread) - known.since;
      if (known.expired < 0 && known.counter >= thresholds_[known.core_class] - 1e-9)
        known.expired = state.now;
      members[known.core_class].push_back(entity);
    }
  // In front the threads that are due, longest first; of those that became due at once the one with
  // the most time.
  std::vector<std::size_t> next(classes), dues(classes);
  for (int c = 0; c < classes; c++) {
    const auto rest = std::ranges::partition(
        members[c], [](const Entity &entity) { return entity.known->expired >= 0; });
    dues[c] = static_cast<std::size_t>(rest.begin() - members[c].begin());
    std::ranges::sort(members[c].begin(), rest.begin(), [](const Entity &a, const Entity &b) {
      return std::tuple(a.known->expired, -a.known->counter, a.thread->id) <
             std::tuple(b.known->expired, -b.known->counter, b.thread->id);
    });
  }
  const auto due = [&](int c) -> const Known * {
    return next[c] < dues[c] ? members[c][next[c]].known : nullptr;
  };
  // The next thread of class C to go, also if none is due.
  const auto take = [&](int c) {
    if (!due(c))
      std::swap(members[c][next[c]],
                *std::ranges::max_element(
                    members[c].begin() + static_cast<std::ptrdiff_t>(next[c]), members[c].end(), {},
                    [](const Entity &entity) { return entity.known->counter; }));
    return members[c][next[c]++];
  };
  for (;;) {
    // The two classes whose threads are due longest.
    int first = -1, second = -1;
    for (int c = classes - 1; c >= 0; c--)
      if (const Known *const known = due(c)) {
        if (first < 0 || known->expired < due(first)->expired) {
          second = first;
          first = c;
        } else if (second < 0 || known->expired < due(second)->expired)
          second = c;
      }
    if (second < 0)
      break;
    const Entity one = members[first][next[first]++], other = members[second][next[second]++];
    put(one, second, partitions, decisions);
    put(other, first, partitions, decisions);
  }
  // One-way moves: to idle faster cores, and from overloaded faster classes to idle cores.
  for (int fast = classes - 1; fast > 0; fast--)
    for (int slow = 0; slow < fast; slow++) {
      while (partitions.idle(fast) && next[slow] < members[slow].size())
        put(take(slow), fast, partitions, decisions);
      while (partitions.threads(fast) > machine_.classes[fast].cores && partitions.idle(slow) &&
             next[fast] < members[fast].size())
        put(take(fast), slow, partitions, decisions);
    }
}

} // namespace

std::unique_ptr<Policy> make_hafs(const Setup &setup) { return std::make_unique<Hafs>(setup); }

} // namespace coord
