// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/engine.h"

#include "core/coordinator.h"
#include "core/registry.h"
#include "model/miss_model.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <deque>
#include <queue>
#include <random>

namespace coord {

namespace {

struct SimThread {
  int core = -1;     // where its working set is; -1: nowhere yet
  int memory = -1;   // the LLC of the chip where its memory is
  bool runs = false; // it is in the queue of CORE
  double share = 0;  // of CORE
  std::vector<double> cpu_s;
  double sampled_cpu_s = 0; // since the last sample
  bool cold = true;         // a start or a migration since then
  Time segment_from = 0;
};

struct SimApp {
  Application app;
  const Program *program = nullptr;
  int arrival = 0;
  int runs_left = 0; // after this one; < 0: no end
  std::size_t phase = 0;
  double remaining = 0;   // work of the phase
  double speed = 0;       // work per second of a full share, without dilation
  std::vector<int> cores; // different ones that its threads run on, by class
  double share = 0, dilation = 1;
  double stall = 0; // seconds of a full share that migrations still cost
  double sampled_work = 0;
  Time updated = 0;
  unsigned version = 0; // of its event in the queue
  bool stale = false;   // its rate has to be computed again
  std::vector<SimThread> threads;
  Run run;
};

struct Event {
  Time at;
  enum Kind { Ends, Arrives, Tick } kind;
  int index; // of the application, of the arrival
  unsigned version;
  bool operator>(const Event &other) const { return at > other.at; }
};

// A program touches its memory within this time.
constexpr Time kTouched = 2 * kSecond;

// CPU time of this thread, in which other processes do not show.
double thread_cpu_s() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

class Engine final : Clock {
public:
  Engine(const Scenario &scenario, const std::function<void(Time, std::size_t)> &progress)
      : scenario_(scenario), machine_(scenario.machine), progress_(progress),
        random_(scenario.seed),
        coordinator_(
            machine_, *this,
            (scenario.make ? scenario.make : find_policy(scenario.policy)->make)(
                make_setup(scenario.policy, machine_, scenario.parameters, scenario.seed))),
        queues_(machine_.cores.size()), completed_(scenario.arrivals.size()) {}

  Time now() const override { return now_; }
  Result simulate();

private:
  void start(int arrival, int runs_left);
  void advance(SimApp &app);
  void ends(SimApp &app);
  void sample();
  void decide();
  void actuate(SimApp &app, const ApplicationState &state);
  void move(SimApp &app, int thread, int core);
  void charge(SimApp &app, int core);
  void stop(SimApp &app, int thread);
  void balance(const std::vector<int> &domain, Place place);
  double phase_speed(const Phase &phase, const SimThread &thread) const;
  void refresh_rates();
  void dilate();
  void record(SimApp &app, int thread);
  int least_loaded(const std::vector<int> &domain);
  bool finished() const;
  void begin();
  bool happens(const Event &event);
  Result finish();

  const Scenario &scenario_;
  const Machine &machine_;
  const std::function<void(Time, std::size_t)> &progress_;
  std::mt19937_64 random_;
  Coordinator coordinator_;
  Time now_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::deque<SimApp> apps_;  // by AppId; those that have ended stay, empty
  std::vector<AppId> alive_; // in order
  std::vector<std::vector<std::pair<AppId, int>>>
      queues_;                 // of each core: the threads that run there
  std::vector<int> completed_; // runs of each arrival
  std::vector<AppId> stale_;
  std::vector<std::vector<int>> domains_; // cores by class; behind them all cores
  bool unbalanced_ = false;
  std::size_t pending_ = 0; // arrivals to come
  Result result_;
};

void Engine::start(int arrival, int runs_left) {
  const Program &program = *scenario_.arrivals[arrival].program;
  const AppId id = static_cast<AppId>(apps_.size());
  SimApp &app = apps_.emplace_back();
  app.app = {id, program.name, program.threads, program.malleable, program.weight, program.profile};
  app.program = &program;
  app.arrival = arrival;
  app.runs_left = runs_left;
  app.remaining = program.phases[0].work;
  app.updated = now_;
  app.threads.resize(program.threads);
  for (SimThread &thread : app.threads)
    thread.cpu_s.assign(machine_.classes.size(), 0);
  app.run.arrival = arrival;
  app.run.app = id;
  app.run.start = now_;
  app.run.cpu_s.assign(machine_.classes.size(), 0);
  alive_.push_back(id);
  coordinator_.arrive(app.app);
}

// Brings APP from when it was last updated to now.
void Engine::advance(SimApp &app) {
  const double passed = seconds(now_ - app.updated);
  app.updated = now_;
  if (passed <= 0)
    return;
  const double had = passed * app.share, stalled = std::min(app.stall, had);
  app.stall -= stalled;
  app.run.stalled_s += stalled;
  const double work = (had - stalled) * app.speed / app.dilation;
  app.remaining -= work;
  app.sampled_work += work;
  for (SimThread &thread : app.threads)
    if (thread.runs) {
      const double cpu = passed * thread.share;
      thread.cpu_s[machine_.cores[thread.core].core_class] += cpu;
      thread.sampled_cpu_s += cpu;
    }
}

void Engine::record(SimApp &app, int index) {
  SimThread &thread = app.threads[index];
  if (scenario_.record && thread.runs && now_ > thread.segment_from)
    result_.segments.push_back(
        {{app.app.id, index}, app.arrival, thread.core, thread.share, thread.segment_from, now_});
  thread.segment_from = now_;
}

void Engine::stop(SimApp &app, int index) {
  SimThread &thread = app.threads[index];
  if (!thread.runs)
    return;
  advance(app);
  record(app, index);
  thread.runs = false;
  auto &queue = queues_[thread.core];
  queue.erase(std::ranges::find(queue, std::pair(app.app.id, index)));
  for (const auto &[other, unused] : queue)
    stale_.push_back(other);
  stale_.push_back(app.app.id);
  unbalanced_ = true;
}

// A thread of APP has come to CORE and fetches its working set. Other threads of APP go on
// meanwhile. What it brings into a cache takes the place of others' lines, which they fetch again.
void Engine::charge(SimApp &app, int core) {
  const int llc = machine_.cores[core].llc;
  const double fetch =
      std::min(app.program->working_set, machine_.llcs[llc].bytes) / 64 * machine_.memory_ns * 1e-9;
  if (fetch == 0)
    return;
  app.stall += fetch / static_cast<double>(app.threads.size());
  std::vector<SimApp *> beside;
  for (int other = 0; machine_.llcs[llc].cores > 1 && other < machine_.core_count(); other++)
    if (machine_.cores[other].llc == llc && other != core)
      for (const auto &[id, thread] : queues_[other])
        beside.push_back(&apps_[id]);
  for (SimApp *const other : beside) {
    advance(*other);
    other->stall += fetch / static_cast<double>(beside.size() * other->threads.size());
    stale_.push_back(other->app.id);
  }
}

void Engine::move(SimApp &app, int index, int core) {
  SimThread &thread = app.threads[index];
  if (thread.runs && thread.core == core)
    return;
  stop(app, index);
  advance(app);
  if (thread.core >= 0 && thread.core != core) {
    app.run.migrations++;
    thread.cold = true;
    if (scenario_.migrations_cost)
      charge(app, core);
  }
  thread.core = core;
  if (thread.memory < 0 || now_ - app.run.start < kTouched)
    thread.memory = machine_.cores[core].llc;
  thread.runs = true;
  thread.segment_from = now_;
  queues_[core].emplace_back(app.app.id, index);
  for (const auto &[other, unused] : queues_[core])
    stale_.push_back(other);
}

// Of the cores of DOMAIN with the shortest queue one at random.
int Engine::least_loaded(const std::vector<int> &domain) {
  std::size_t least = SIZE_MAX;
  int found = -1, alike = 0;
  for (const int core : domain)
    if (queues_[core].size() <= least) {
      alike = queues_[core].size() < least ? 1 : alike + 1;
      least = queues_[core].size();
      if (alike == 1 || std::uniform_int_distribution<int>(1, alike)(random_) == 1)
        found = core;
    }
  return found;
}

// Puts APP's threads where STATE says.
void Engine::actuate(SimApp &app, const ApplicationState &state) {
  if (state.granted) {
    // Lower thread numbers on bigger cores.
    std::vector<int> cores = state.cores;
    std::ranges::stable_sort(cores, std::greater(),
                             [&](int core) { return machine_.cores[core].core_class; });
    // A thread whose core stays keeps it.
    std::vector<int> idle;
    for (std::size_t i = 0; i < app.threads.size(); i++) {
      const auto found = std::ranges::find(cores, app.threads[i].core);
      if (app.threads[i].runs && found != cores.end())
        cores.erase(found);
      else {
        stop(app, static_cast<int>(i));
        idle.push_back(static_cast<int>(i));
      }
    }
    for (std::size_t i = 0; i < cores.size() && i < idle.size(); i++)
      move(app, idle[i], cores[i]);
    return;
  }
  for (const ThreadState &thread : state.threads) {
    SimThread &there = app.threads[thread.id.index];
    const int index = thread.id.index;
    if (!thread.runnable || thread.place.kind == Place::Hold)
      stop(app, index);
    else if (thread.place.kind == Place::OnCore)
      move(app, index, thread.place.index);
    else if (thread.place.kind == Place::OfClass) {
      if (!there.runs || machine_.cores[there.core].core_class != thread.place.index)
        move(app, index, least_loaded(domains_[thread.place.index]));
    } else if (!there.runs)
      move(app, index, least_loaded(domains_.back()));
  }
}

// The operating system: evens out the queues of DOMAIN by moving threads that have PLACE.
void Engine::balance(const std::vector<int> &domain, Place place) {
  for (;;) {
    const int to = least_loaded(domain);
    std::pair<AppId, int> moved(-1, 0);
    std::size_t most = queues_[to].size() + 1;
    for (const int core : domain)
      if (queues_[core].size() > most)
        for (const auto &[id, index] : queues_[core]) {
          const ApplicationState *const state = coordinator_.state().find(id);
          if (!state->granted && state->threads[index].place == place) {
            moved = {id, index};
            most = queues_[core].size();
            break;
          }
        }
    if (moved.first < 0)
      return;
    move(apps_[moved.first], moved.second, to);
  }
}

void Engine::decide() {
  for (const AppId id : alive_)
    for (std::size_t i = 0; i < apps_[id].threads.size(); i++)
      coordinator_.observe({id, static_cast<int>(i)}, apps_[id].threads[i].core,
                           apps_[id].threads[i].cpu_s);
  const double before = scenario_.timed ? thread_cpu_s() : 0;
  const std::vector<AppId> changed = coordinator_.decide();
  result_.decisions++;
  if (scenario_.timed)
    result_.worst_decision_s = std::max(result_.worst_decision_s, thread_cpu_s() - before);
  // Threads leave cores before others come to them: a swap of two is no time with both on one core.
  for (const AppId id : changed) {
    const ApplicationState &state = *coordinator_.state().find(id);
    SimApp &app = apps_[id];
    for (std::size_t i = 0; i < app.threads.size(); i++) {
      const Place place = state.threads[i].place;
      const SimThread &thread = app.threads[i];
      if (thread.runs &&
          (state.granted ? std::ranges::find(state.cores, thread.core) == state.cores.end()
                         : (place.kind == Place::OnCore && thread.core != place.index) ||
                               (place.kind == Place::OfClass &&
                                machine_.cores[thread.core].core_class != place.index)))
        stop(app, static_cast<int>(i));
    }
  }
  for (const AppId id : changed)
    actuate(apps_[id], *coordinator_.state().find(id));
  // New applications of which the policy said nothing.
  for (auto id = alive_.rbegin(); id != alive_.rend() && apps_[*id].run.start == now_; ++id)
    actuate(apps_[*id], *coordinator_.state().find(*id));
  if (unbalanced_) {
    for (int c = 0; c < machine_.class_count(); c++)
      balance(domains_[c], {Place::OfClass, c});
    balance(domains_.back(), {});
    unbalanced_ = false;
  }
}

// Of the thread of a program in PHASE.
double Engine::phase_speed(const Phase &phase, const SimThread &thread) const {
  const Core &core = machine_.cores[thread.core];
  const double speed = phase.factors[core.core_class];
  if (thread.memory == core.llc || scenario_.remote == 1)
    return speed;
  const double ghz = machine_.classes[core.core_class].ghz * phase.ipc;
  return speed * miss_time_ns(phase.misses, ghz, machine_.memory_ns) /
         miss_time_ns(phase.misses, ghz, machine_.memory_ns * scenario_.remote);
}

// Computes the rates of stale applications, and when their phases end.
void Engine::refresh_rates() {
  if (stale_.empty())
    return;
  std::ranges::sort(stale_);
  const auto [first, last] = std::ranges::unique(stale_);
  stale_.erase(first, last);
  std::vector<int> cores(machine_.classes.size());
  std::vector<int> seen;
  for (const AppId id : stale_) {
    SimApp &app = apps_[id];
    if (app.threads.empty())
      continue;
    advance(app);
    std::ranges::fill(cores, 0);
    seen.clear();
    double shares = 0;
    for (std::size_t i = 0; i < app.threads.size(); i++) {
      SimThread &thread = app.threads[i];
      if (!thread.runs)
        continue;
      const std::size_t beside = queues_[thread.core].size();
      const double share =
          beside == 1 ? 1 : (1 - scenario_.switch_share) / static_cast<double>(beside);
      if (share != thread.share)
        record(app, static_cast<int>(i));
      thread.share = share;
      shares += share;
      if (app.threads.size() == 1 || std::ranges::find(seen, thread.core) == seen.end()) {
        seen.push_back(thread.core);
        cores[machine_.cores[thread.core].core_class]++;
      }
    }
    app.cores = cores;
    app.share = seen.empty() ? 0 : shares / static_cast<double>(seen.size());
    if (seen.empty())
      app.speed = 0;
    else if (app.program->throughput)
      app.speed = app.program->throughput->at(cores);
    else
      app.speed = phase_speed(app.program->phases[app.phase], app.threads[0]);
  }
  if (scenario_.dilation)
    dilate();
  for (const AppId id : stale_) {
    SimApp &app = apps_[id];
    if (app.threads.empty())
      continue;
    app.version++;
    const double rate = app.share * app.speed / app.dilation;
    if (scenario_.record)
      result_.rates.push_back({app.arrival, now_, rate});
    if (rate > 0) {
      const double left =
          (app.stall + std::max(0.0, app.remaining) * app.dilation / app.speed) / app.share;
      events_.push({now_ + static_cast<Time>(std::ceil(std::min(left, 1e9) * 1e9)), Event::Ends, id,
                    app.version});
    }
  }
  stale_.clear();
}

// Contention: a change anywhere may change the speed of all.
void Engine::dilate() {
  std::vector<Running> running;
  std::vector<AppId> whose;
  for (const AppId id : alive_)
    for (const SimThread &thread : apps_[id].threads)
      if (thread.runs) {
        running.push_back({apps_[id].program, thread.core, thread.share});
        whose.push_back(id);
      }
  std::vector<double> factors(running.size(), 1);
  scenario_.dilation->compute(machine_, running, factors);
  for (std::size_t i = 0; i < running.size();) {
    SimApp &app = apps_[whose[i]];
    double sum = 0;
    std::size_t threads = 0;
    for (; i < running.size() && whose[i] == app.app.id; i++, threads++)
      sum += factors[i];
    const double dilation = sum / static_cast<double>(threads);
    if (std::abs(dilation - app.dilation) > 1e-9) {
      advance(app);
      app.dilation = dilation;
      stale_.push_back(app.app.id);
    }
  }
  std::ranges::sort(stale_);
  const auto [first, last] = std::ranges::unique(stale_);
  stale_.erase(first, last);
}

// The end of APP's phase, and with the last one of its run.
void Engine::ends(SimApp &app) {
  advance(app);
  if (app.phase + 1 < app.program->phases.size()) {
    app.remaining = app.program->phases[++app.phase].work;
    stale_.push_back(app.app.id);
    return;
  }
  for (std::size_t i = 0; i < app.threads.size(); i++) {
    stop(app, static_cast<int>(i));
    for (std::size_t c = 0; c < machine_.classes.size(); c++)
      app.run.cpu_s[c] += app.threads[i].cpu_s[c];
  }
  app.run.end = now_;
  result_.runs.push_back(app.run);
  completed_[app.arrival]++;
  alive_.erase(std::ranges::lower_bound(alive_, app.app.id));
  coordinator_.leave(app.app.id);
  app.threads.clear();
  if (scenario_.record)
    result_.rates.push_back({app.arrival, now_, 0});
  if (app.runs_left != 0)
    start(app.arrival, app.runs_left - 1);
}

void Engine::sample() {
  std::normal_distribution<double> normal(0, scenario_.noise);
  const auto noisy = [&](double value) {
    return scenario_.noise > 0 ? value * (1 + normal(random_)) : value;
  };
  for (const AppId id : alive_) {
    SimApp &app = apps_[id];
    advance(app);
    const Phase &phase = app.program->phases[app.phase];
    const double per_work = instructions_per_slow_second(machine_, phase.misses, phase.ipc);
    int running = 0;
    for (const SimThread &thread : app.threads)
      running += thread.sampled_cpu_s > 0;
    for (std::size_t i = 0; i < app.threads.size(); i++) {
      SimThread &thread = app.threads[i];
      if (thread.sampled_cpu_s <= 0)
        continue;
      Sample sample{{id, static_cast<int>(i)},
                    thread.core,
                    machine_.cores[thread.core].core_class,
                    thread.sampled_cpu_s,
                    0,
                    0,
                    thread.cold,
                    {},
                    {}};
      const double instructions = app.sampled_work / running * per_work;
      sample.instructions = noisy(instructions);
      double misses = phase.misses;
      if (thread.cold && instructions > 0)
        misses += std::min(app.program->working_set,
                           machine_.llcs[machine_.cores[thread.core].llc].bytes) /
                  64 * 4096 / instructions;
      sample.misses = std::max(0.0, noisy(misses));
      if (scenario_.page)
        for (const double factor : phase.factors)
          sample.factors.push_back(sample.factors.empty() ? 1 : noisy(factor));
      if (scenario_.page && i == 0 && app.program->throughput && app.sampled_work > 0) {
        const Throughput &p = *app.program->throughput;
        std::vector<int> one(machine_.classes.size());
        one[0] = 1;
        const double serial = p.serial_share(app.cores) * thread.sampled_cpu_s;
        sample.progress = {noisy(app.sampled_work / p.at(one) * (1 - p.serial_share(one))), serial,
                           thread.sampled_cpu_s - serial};
      }
      thread.sampled_cpu_s = 0;
      thread.cold = false;
      coordinator_.sample(sample);
    }
    app.sampled_work = 0;
  }
}

bool Engine::finished() const {
  if (alive_.empty() && pending_ == 0)
    return true;
  return scenario_.least_runs > 0 &&
         std::ranges::all_of(completed_, [&](int runs) { return runs >= scenario_.least_runs; });
}

// Domains, and the first events.
void Engine::begin() {
  for (int c = 0; c < machine_.class_count(); c++) {
    domains_.emplace_back();
    for (int core = 0; core < machine_.core_count(); core++)
      if (machine_.cores[core].core_class == c)
        domains_[c].push_back(core);
  }
  domains_.emplace_back();
  for (int core = 0; core < machine_.core_count(); core++)
    domains_.back().push_back(core);
  for (std::size_t i = 0; i < scenario_.arrivals.size(); i++)
    events_.push({scenario_.arrivals[i].at, Event::Arrives, static_cast<int>(i), 0});
  pending_ = scenario_.arrivals.size();
  events_.push({coordinator_.period(), Event::Tick, 0, 0});
}

// True: the policy is asked now.
bool Engine::happens(const Event &event) {
  switch (event.kind) {
  case Event::Arrives:
    pending_--;
    start(event.index, scenario_.arrivals[event.index].runs - 1);
    return true;
  case Event::Ends: {
    if (event.version != apps_[event.index].version || apps_[event.index].threads.empty())
      return false;
    const std::size_t before = result_.runs.size();
    ends(apps_[event.index]);
    return result_.runs.size() != before;
  }
  case Event::Tick:
    sample();
    events_.push({now_ + coordinator_.period(), Event::Tick, 0, 0});
    return true;
  }
  return false;
}

// What is still running is recorded up to now.
Result Engine::finish() {
  for (const AppId id : alive_) {
    advance(apps_[id]);
    for (std::size_t i = 0; i < apps_[id].threads.size(); i++)
      record(apps_[id], static_cast<int>(i));
  }
  result_.end = now_;
  result_.refused = coordinator_.refused();
  return std::move(result_);
}

Result Engine::simulate() {
  begin();
  for (std::size_t events = 1; !events_.empty() && !finished(); events++) {
    now_ = events_.top().at;
    if (scenario_.until > 0 && now_ > scenario_.until) {
      now_ = scenario_.until;
      break;
    }
    bool ask = false;
    while (!events_.empty() && events_.top().at == now_) {
      const Event event = events_.top();
      events_.pop();
      ask |= happens(event);
    }
    if (ask)
      decide();
    refresh_rates();
    if (progress_ && events % 65536 == 0)
      progress_(now_, result_.runs.size());
  }
  return finish();
}

} // namespace

Result simulate(const Scenario &scenario, const std::function<void(Time, std::size_t)> &progress) {
  return Engine(scenario, progress).simulate();
}

} // namespace coord
