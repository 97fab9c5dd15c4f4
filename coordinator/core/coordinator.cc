// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/coordinator.h"

#include <algorithm>
#include <stdexcept>

namespace coord {

const ApplicationState *State::find(AppId id) const {
  const auto found = std::ranges::lower_bound(
      apps, id, {}, [](const ApplicationState &app) { return app.app->id; });
  return found != apps.end() && found->app->id == id ? &*found : nullptr;
}

Coordinator::Coordinator(const Machine &machine, const Clock &clock, std::unique_ptr<Policy> policy)
    : machine_(machine), clock_(clock), policy_(std::move(policy)),
      owner_(machine.cores.size(), -1) {}

ApplicationState *Coordinator::find(AppId id) {
  return const_cast<ApplicationState *>(state_.find(id));
}

ApplicationState &Coordinator::get(AppId id) {
  ApplicationState *const app = find(id);
  if (!app)
    throw std::out_of_range("application " + std::to_string(id) + " is not there");
  return *app;
}

ThreadState &Coordinator::get(ThreadId thread) {
  ApplicationState &app = get(thread.app);
  if (thread.index < 0 || thread.index >= app.app->threads)
    throw std::out_of_range("application " + std::to_string(thread.app) + " has " +
                            std::to_string(app.app->threads) + " threads, none of number " +
                            std::to_string(thread.index));
  return app.threads[thread.index];
}

void Coordinator::add_threads(ApplicationState &state, int threads) {
  for (int i = static_cast<int>(state.threads.size()); i < threads; i++) {
    ThreadState &thread = state.threads.emplace_back();
    thread.id = {state.app->id, i};
    thread.cpu_s.assign(machine_.classes.size(), 0);
  }
}

void Coordinator::arrive(const Application &app) {
  if (app.id <= last_ || app.threads < 1)
    throw std::invalid_argument("application " + std::to_string(app.id) + " with " +
                                std::to_string(app.threads) +
                                " threads; expected an id above all before, and a thread");
  last_ = app.id;
  const Application &kept = apps_.emplace(app.id, app).first->second;
  ApplicationState &added = state_.apps.emplace_back();
  added.app = &kept;
  added.arrived = clock_.now();
  add_threads(added, app.threads);
  policy_->arrive(kept);
}

void Coordinator::leave(AppId id) {
  const auto index = &get(id) - state_.apps.data();
  policy_->leave(id);
  std::ranges::replace(owner_, id, -1);
  state_.apps.erase(state_.apps.begin() + index);
  apps_.erase(id);
}

void Coordinator::resize(AppId id, int threads) {
  ApplicationState &state = get(id);
  if (threads < 1)
    throw std::invalid_argument("application " + std::to_string(id) + " with " +
                                std::to_string(threads) + " threads; expected at least one");
  apps_.at(id).threads = threads;
  if (threads < static_cast<int>(state.threads.size()))
    state.threads.resize(threads);
  add_threads(state, threads);
  for (; static_cast<int>(state.cores.size()) > threads; state.cores.pop_back()) {
    owner_[state.cores.back()] = -1;
    state.grant[machine_.cores[state.cores.back()].core_class]--;
  }
  policy_->resize(*state.app);
}

void Coordinator::sample(const Sample &sample) {
  const ApplicationState *const app = find(sample.thread.app);
  if (app && sample.thread.index >= 0 && sample.thread.index < app->app->threads &&
      sample.core >= 0 && sample.core < machine_.core_count() &&
      sample.core_class == machine_.cores[sample.core].core_class)
    policy_->sample(sample);
}

void Coordinator::runnable(ThreadId thread, bool runs) { get(thread).runnable = runs; }

void Coordinator::observe(ThreadId thread, int core, const std::vector<double> &cpu_s) {
  ThreadState &state = get(thread);
  state.core = core;
  state.cpu_s = cpu_s;
}

bool Coordinator::place(const Decisions::Placement &placement) {
  ApplicationState *const app = find(placement.thread.app);
  const Place place = placement.place;
  const int most = place.kind == Place::OfClass  ? machine_.class_count()
                   : place.kind == Place::OnCore ? machine_.core_count()
                                                 : 0;
  const bool indexed = place.kind == Place::OfClass || place.kind == Place::OnCore;
  if (!app || placement.thread.index < 0 || placement.thread.index >= app->app->threads ||
      (indexed && (place.index < 0 || place.index >= most))) {
    refused_.push_back("place of thread " + std::to_string(placement.thread.index) +
                       " of application " + std::to_string(placement.thread.app) + ": " +
                       std::to_string(place.index) +
                       "; expected a thread that runs, and a class or core of the machine");
    return false;
  }
  bool changed = app->granted;
  if (app->granted) {
    for (const int core : app->cores)
      owner_[core] = -1;
    app->granted = false;
    app->grant.clear();
    app->cores.clear();
  }
  ThreadState &thread = app->threads[placement.thread.index];
  changed |= thread.place != place;
  thread.place = place;
  return changed;
}

// The counts of those GRANTS that can be are set; the others are refused.
Coordinator::Takers Coordinator::accept(const std::vector<Decisions::Grant> &grants) {
  Takers takers;
  for (const Decisions::Grant &grant : grants) {
    ApplicationState *const app = find(grant.app);
    int sum = 0;
    bool valid = app && app->app->malleable && grant.cores.size() == machine_.classes.size();
    for (const int n : grant.cores) {
      valid = valid && n >= 0 && n <= machine_.core_count();
      sum += valid ? n : 0;
    }
    if (!valid || sum > app->app->threads) {
      refused_.push_back(
          "grant to application " + std::to_string(grant.app) +
          "; expected a malleable one, a count >= 0 for each class, no more cores than threads");
      continue;
    }
    if (!app->granted || app->grant != grant.cores) {
      app->granted = true;
      app->grant = grant.cores;
      takers.push_back(app);
    }
  }
  return takers;
}

// No more cores of a class are granted than there are. An application that gets less than it had is
// a taker too.
void Coordinator::limit_to_machine(Takers &takers) {
  std::vector<int> wanted(machine_.classes.size());
  for (const ApplicationState &app : state_.apps)
    if (app.granted)
      for (std::size_t c = 0; c < wanted.size(); c++)
        wanted[c] += app.grant[c];
  for (std::size_t c = 0; c < wanted.size(); c++)
    if (wanted[c] > machine_.classes[c].cores) {
      refused_.push_back("grants of " + std::to_string(wanted[c]) + " cores of class " +
                         std::to_string(c) + "; expected at most " +
                         std::to_string(machine_.classes[c].cores));
      // What is there is shared out in order of arrival.
      int left = machine_.classes[c].cores;
      for (ApplicationState &app : state_.apps)
        if (app.granted) {
          if (app.grant[c] > left && std::ranges::find(takers, &app) == takers.end())
            takers.push_back(&app);
          app.grant[c] = std::min(app.grant[c], left);
          left -= app.grant[c];
        }
    }
}

// An application keeps the cores that it has, up to its grant; the others are free.
void Coordinator::give_back(const Takers &takers) {
  for (ApplicationState *const app : takers) {
    std::vector<int> keep = app->grant;
    std::erase_if(app->cores, [&](int core) {
      const bool gives = keep[machine_.cores[core].core_class]-- <= 0;
      if (gives)
        owner_[core] = -1;
      return gives;
    });
  }
}

// Free cores, those with the lowest numbers, until each has its grant.
void Coordinator::take_missing(const Takers &takers) {
  for (ApplicationState *const app : takers) {
    std::vector<int> missing = app->grant;
    for (const int core : app->cores)
      missing[machine_.cores[core].core_class]--;
    for (int core = 0; core < machine_.core_count(); core++)
      if (owner_[core] < 0 && missing[machine_.cores[core].core_class] > 0) {
        missing[machine_.cores[core].core_class]--;
        owner_[core] = app->app->id;
        app->cores.push_back(core);
      }
  }
}

// All grants at once: cores go back before others take them.
void Coordinator::grant(const std::vector<Decisions::Grant> &grants, std::vector<AppId> &changed) {
  Takers takers = accept(grants);
  limit_to_machine(takers);
  give_back(takers);
  take_missing(takers);
  for (const ApplicationState *const app : takers)
    changed.push_back(app->app->id);
}

std::vector<AppId> Coordinator::decide() {
  state_.now = clock_.now();
  Decisions decisions;
  policy_->decide(state_, decisions);
  std::vector<AppId> changed;
  for (const Decisions::Placement &placement : decisions.places)
    if (place(placement))
      changed.push_back(placement.thread.app);
  grant(decisions.grants, changed);
  std::ranges::sort(changed);
  const auto [first, last] = std::ranges::unique(changed);
  changed.erase(first, last);
  return changed;
}

} // namespace coord
