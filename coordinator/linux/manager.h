// SPDX-License-Identifier: GPL-3.0-or-later
// The daemon without its socket: programs come and go, a tick looks at them, asks the policy and
// changes masks.
#pragma once

#include "core/coordinator.h"
#include "core/registry.h"
#include "linux/actuator.h"
#include "linux/family.h"
#include "linux/sampler.h"

#include <functional>
#include <memory>
#include <set>
#include <stdexcept>

namespace coord {

// A request that cannot be met; what() says why.
struct Refusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Newcomer {
  pid_t pid = 0;
  std::vector<pid_t> others; // processes that belong to it, also if it has not started them
  std::string name;
  double weight = 1;
  Profile profile;
};

struct ProgramStatus {
  AppId id;
  pid_t pid;
  std::string name;
  Time since; // how long it has had these cores, or been there
  int processes, threads;
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

  // The process and all that it has started, and will start, are a program. Those that belong to
  // another program leave it, unless they were given to it themselves.
  AppId arrive(const Newcomer &newcomer);
  // The program of the process PID.
  void release(pid_t pid);
  // PID has ended. Nothing happens if it is not known.
  void died(pid_t pid);
  bool knows(pid_t pid) const { return find(pid); }
  // PID is the process by which a program is known.
  bool leads(pid_t pid) const { return find(pid) && find(pid)->leader() == pid; }
  bool empty() const { return programs_.empty(); }
  void set_policy(const std::string &policy, const Parameters &parameters);
  void release_all();

  void tick();
  // How often to call it.
  Time period() const;

  // Changes when programs or their processes come or go.
  unsigned generation() const { return generation_; }
  // By program: its processes and when they began.
  using Processes = std::vector<std::pair<pid_t, std::uint64_t>>;
  std::map<AppId, Processes> processes() const;

  const std::string &policy() const { return policy_; }
  const Chip &chip() const { return chip_; }
  std::vector<ProgramStatus> status() const;
  // When tick looked last: the CPU times of the status are of then.
  Time looked() const { return looked_; }
  // Processes that are in no program: the daemon's own.
  std::set<pid_t> own;
  // What the user has to be told, once each.
  std::function<void(const std::string &)> message = [](const std::string &) {};

private:
  Tree *find(pid_t pid);
  const Tree *find(pid_t pid) const;
  void make_coordinator(const std::string &policy, const Parameters &parameters);
  void restore(Tree &program);
  void remove(Tree &program);
  void take(Tree &program, pid_t pid, Tree *from);
  void find_born();
  Reason reason_of(const Tree &program, const ApplicationState &state) const;
  void guard();

  System &system_;
  const Chip &chip_;
  Journal &journal_;
  Sampler sampler_;
  Actuator actuator_;
  std::string policy_;
  std::unique_ptr<Coordinator> coordinator_;
  std::map<AppId, Tree> programs_;
  AppId next_ = 0;
  Births births_;
  unsigned generation_ = 0;
  Time looked_ = 0, searched_ = 0;
  bool looking_ = false; // the guard wants to see a program where the kernel places it
  // The guard: since when all programs together do too little, -1: they do not; and its verdict,
  // until programs come or go.
  Time poor_since_ = -1;
  bool hands_off_ = false;
};

} // namespace coord
