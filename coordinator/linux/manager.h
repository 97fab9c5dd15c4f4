// SPDX-License-Identifier: GPL-3.0-or-later
// The daemon without its socket: programs come and go, a tick looks at them, asks the policy and
// changes masks.
#pragma once

#include "core/coordinator.h"
#include "core/registry.h"
#include "linux/actuator.h"
#include "linux/sampler.h"

#include <functional>
#include <memory>
#include <stdexcept>

namespace coord {

// A request that cannot be met; what() says why.
struct Refusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Newcomer {
  pid_t pid = 0;
  std::string name;
  double weight = 1;
  Profile profile;
};

struct ProcessStatus {
  pid_t pid;
  std::string name;
  Time since; // how long it has had these cores, or been there
  int threads;
  CpuSet cpus;                 // that its threads may use
  std::vector<double> cpu_s;   // by class
  std::vector<double> factors; // measured or given; empty: not known
  Reason reason;
  std::vector<Input> known; // of what policies go by
};

class Manager {
public:
  // SYSTEM, CHIP and JOURNAL outlive it. Throws as make_live_policy does.
  Manager(System &system, const Chip &chip, Journal &journal, const std::string &policy,
          const Parameters &parameters = {});
  // Restores all masks.
  ~Manager();

  // The rest throws Refusal.

  AppId arrive(const Newcomer &newcomer);
  void release(pid_t pid);
  // PID has ended. Nothing happens if it is not known.
  void died(pid_t pid);
  bool knows(pid_t pid) const { return find(pid); }
  void set_policy(const std::string &policy, const Parameters &parameters);
  void release_all();

  void tick();
  // How often to call it.
  Time period() const;

  const std::string &policy() const { return policy_; }
  const Chip &chip() const { return chip_; }
  std::vector<ProcessStatus> status() const;
  // When tick looked last: the CPU times of the status are of then.
  Time looked() const { return looked_; }
  // What the user has to be told, once each.
  std::function<void(const std::string &)> message = [](const std::string &) {};

private:
  Process *find(pid_t pid);
  const Process *find(pid_t pid) const;
  void make_coordinator(const std::string &policy, const Parameters &parameters);
  void restore(Process &program);
  void remove(Process &program);
  Reason reason_of(const Process &program, const ApplicationState &state) const;
  void guard();

  System &system_;
  const Chip &chip_;
  Journal &journal_;
  Sampler sampler_;
  Actuator actuator_;
  std::string policy_;
  std::unique_ptr<Coordinator> coordinator_;
  std::map<AppId, Process> programs_;
  AppId next_ = 0;
  Time looked_ = 0;
  bool looking_ = false; // the guard wants to see a program where the kernel places it
  // The guard: since when all programs together do too little, -1: they do not; and its verdict,
  // until programs come or go.
  Time poor_since_ = -1;
  bool hands_off_ = false;
};

} // namespace coord
