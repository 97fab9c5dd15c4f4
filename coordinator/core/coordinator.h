// SPDX-License-Identifier: GPL-3.0-or-later
// The decision loop: keeps what is known of applications, asks the policy, checks its decisions,
// and turns counts of cores into cores. A simulator and a daemon drive the same object.
#pragma once

#include "core/policy.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace coord {

class Coordinator {
public:
  // MACHINE and CLOCK outlive this object.
  Coordinator(const Machine &machine, const Clock &clock, std::unique_ptr<Policy> policy);

  // An application or thread that there is not is std::out_of_range, except in a sample; an
  // application that cannot be, std::invalid_argument. Nothing has changed then.

  // APP is copied. Its id is larger than all before, its threads are at least one.
  void arrive(const Application &app);
  void leave(AppId id);
  // Application ID has THREADS >= 1 threads now. It loses those with the highest numbers, with
  // their cores, or gets new ones.
  void resize(AppId id, int threads);
  // A sample of a thread or core that there is not is dropped; its other numbers may be nonsense.
  void sample(const Sample &sample);
  // Thread THREAD blocked or woke.
  void runnable(ThreadId thread, bool runs);
  // Where the operating system put THREAD, and its CPU time so far by class.
  void observe(ThreadId thread, int core, const std::vector<double> &cpu_s);

  // Asks the policy. Returns the applications whose places or grant changed.
  std::vector<AppId> decide();

  const State &state() const { return state_; }
  Time period() const { return policy_->period(); }
  // Decisions that were not carried out since they named what there is not, or more cores than
  // there are; none is due.
  const std::vector<std::string> &refused() const { return refused_; }

private:
  ApplicationState *find(AppId id);
  ApplicationState &get(AppId id);
  ThreadState &get(ThreadId thread);
  void add_threads(ApplicationState &state, int threads);
  bool place(const Decisions::Placement &placement);
  using Takers = std::vector<ApplicationState *>; // those whose grant is another now
  void grant(const std::vector<Decisions::Grant> &grants, std::vector<AppId> &changed);
  Takers accept(const std::vector<Decisions::Grant> &grants);
  void limit_to_machine(Takers &takers);
  void give_back(const Takers &takers);
  void take_missing(const Takers &takers);

  const Machine &machine_;
  const Clock &clock_;
  std::unique_ptr<Policy> policy_;
  State state_;
  std::map<AppId, Application> apps_; // which STATE_ refers to
  AppId last_ = -1;                   // the largest id so far
  std::vector<AppId> owner_;          // of each core that is granted; -1: none
  std::vector<std::string> refused_;
};

} // namespace coord
