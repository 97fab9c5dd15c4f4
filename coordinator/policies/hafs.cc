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
  // The threads of a class: in front those that are due, longest first; NEXT is the first of them
  // that did not move yet.
  struct Members {
    std::vector<Entity> all;
    std::size_t next = 0, dues = 0;
    const Known *due() const { return next < dues ? all[next].known : nullptr; }
    bool left() const { return next < all.size(); }
    Entity take();
    void sort();
  };
  void put(Entity entity, int c, Partitions &partitions, Decisions &decisions);
  std::vector<Members> count(const State &state, Partitions &partitions, Decisions &decisions);
  void swap_due(std::vector<Members> &members, Partitions &partitions, Decisions &decisions);
  void fill_idle(std::vector<Members> &members, Partitions &partitions, Decisions &decisions);

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

// The next thread to go, also if none is due.
Hafs::Entity Hafs::Members::take() {
  if (!due())
    std::swap(all[next], *std::ranges::max_element(
                             all.begin() + static_cast<std::ptrdiff_t>(next), all.end(), {},
                             [](const Entity &entity) { return entity.known->counter; }));
  return all[next++];
}

// Of those that became due at once the one with the most time is first.
void Hafs::Members::sort() {
  const auto rest =
      std::ranges::partition(all, [](const Entity &entity) { return entity.known->expired >= 0; });
  dues = static_cast<std::size_t>(rest.begin() - all.begin());
  std::ranges::sort(all.begin(), rest.begin(), [](const Entity &a, const Entity &b) {
    return std::tuple(a.known->expired, -a.known->counter, a.thread->id) <
           std::tuple(b.known->expired, -b.known->counter, b.thread->id);
  });
}

// The runnable threads of each class, with what they used. New ones get a class.
std::vector<Hafs::Members> Hafs::count(const State &state, Partitions &partitions,
                                       Decisions &decisions) {
  std::vector<Members> members(machine_.classes.size());
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
      members[known.core_class].all.push_back(entity);
    }
  return members;
}

// Pairs of threads that are due change places, of the two classes whose threads are due longest.
void Hafs::swap_due(std::vector<Members> &members, Partitions &partitions, Decisions &decisions) {
  for (;;) {
    int first = -1, second = -1;
    for (int c = machine_.fastest(); c >= 0; c--)
      if (const Known *const known = members[c].due()) {
        if (first < 0 || known->expired < members[first].due()->expired) {
          second = first;
          first = c;
        } else if (second < 0 || known->expired < members[second].due()->expired)
          second = c;
      }
    if (second < 0)
      break;
    const Entity one = members[first].take(), other = members[second].take();
    put(one, second, partitions, decisions);
    put(other, first, partitions, decisions);
  }
}

// One-way moves: to idle faster cores, and from overloaded faster classes to idle cores.
void Hafs::fill_idle(std::vector<Members> &members, Partitions &partitions, Decisions &decisions) {
  for (int fast = machine_.fastest(); fast > 0; fast--)
    for (int slow = 0; slow < fast; slow++) {
      while (partitions.idle(fast) && members[slow].left())
        put(members[slow].take(), fast, partitions, decisions);
      while (partitions.threads(fast) > machine_.classes[fast].cores && partitions.idle(slow) &&
             members[fast].left())
        put(members[fast].take(), slow, partitions, decisions);
    }
}

void Hafs::decide(const State &state, Decisions &decisions) {
  Partitions partitions(machine_, state);
  std::vector<Members> members = count(state, partitions, decisions);
  for (Members &each : members)
    each.sort();
  swap_due(members, partitions, decisions);
  fill_idle(members, partitions, decisions);
}

} // namespace

std::unique_ptr<Policy> make_hafs(const Setup &setup) { return std::make_unique<Hafs>(setup); }

} // namespace coord
