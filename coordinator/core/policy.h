// SPDX-License-Identifier: GPL-3.0-or-later
// The interface of a policy: events come in, decisions go out. A policy does no I/O and asks no
// clock but State::now.
#pragma once

#include "core/application.h"
#include "core/machine.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

namespace coord {

// What a runtime counts of its application, since its last sample.
struct Progress {
  double work_s = 0;     // what one core of class 0 would have taken for the iterations done
  double serial_s = 0;   // outside parallel regions
  double parallel_s = 0; // inside them
};

// What one thread did since its last sample. A policy believes nothing of it: any number may be
// nonsense.
struct Sample {
  ThreadId thread;
  int core = -1;
  int core_class = -1;
  double cpu_s = 0; // CPU time
  // Done in it: instructions, or the runtime's work in any unit of the program's own. None: nothing
  // counts them.
  std::optional<double> instructions;
  std::optional<double> misses; // LLC misses per 4096 instructions
  bool cold = false;            // a start or a migration fell into it
  // SF of the application by class, as a runtime measures it on all of its classes in one loop;
  // empty: no runtime does.
  std::vector<double> factors;
  std::optional<Progress> progress; // in the sample of thread 0
};

// Where a thread may run.
struct Place {
  enum Kind : std::uint8_t {
    Hold,     // nowhere: it waits
    Anywhere, // the operating system decides
    OfClass,  // on cores of class INDEX; the operating system balances their load
    OnCore,   // on core INDEX
  };
  Kind kind = Anywhere;
  int index = -1;
  bool operator==(const Place &) const = default;
};

struct ThreadState {
  ThreadId id;
  Place place;
  int core = -1; // where it runs or last ran; -1: nowhere yet
  bool runnable = true;
  std::vector<double> cpu_s; // by class, since the start
};

struct ApplicationState {
  const Application *app = nullptr;
  Time arrived = 0;
  bool granted = false;   // it owns CORES; otherwise each thread has a place
  std::vector<int> grant; // by class; empty unless granted
  std::vector<int> cores; // the numbers of these cores
  std::vector<ThreadState> threads;
};

// What there is now. Applications are in order of arrival, and so of their ids.
struct State {
  Time now = 0;
  std::vector<ApplicationState> apps;

  const ApplicationState *find(AppId id) const;
};

// Changes; what is not named stays as it is. An application has places or a grant, and the last
// decision counts.
struct Decisions {
  struct Placement {
    ThreadId thread;
    Place place;
  };
  struct Grant {
    AppId app;
    std::vector<int> cores; // by class; all 0: it waits
  };
  std::vector<Placement> places;
  std::vector<Grant> grants;
};

// The values of a policy's parameters, each at its default or at what a user set.
using Parameters = std::map<std::string, double, std::less<>>;

struct Setup {
  const Machine &machine; // outlives the policy
  Parameters parameters;
  std::uint64_t seed = 1;

  // The value of NAME, which has a row in policies.def.
  double operator[](std::string_view name) const { return parameters.find(name)->second; }
};

class Policy {
public:
  virtual ~Policy() = default;
  // How often threads are sampled and decide is called without an event. Constant.
  virtual Time period() const { return 200 * kMillisecond; }
  // APP outlives its leave.
  virtual void arrive(const Application &) {}
  virtual void leave(AppId) {}
  // APP has another number of threads now. New ones are Anywhere.
  virtual void resize(const Application &) {}
  virtual void sample(const Sample &) {}
  // After arrivals, exits, blocking and waking of threads, and once a period. A new application's
  // threads are Anywhere.
  virtual void decide(const State &state, Decisions &decisions) = 0;
};

} // namespace coord
