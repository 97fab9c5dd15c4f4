// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/contention-lab.h"

#include "model/miss_model.h"
#include "policies/contention.h"
#include "sim/engine.h"
#include "sim/spec2000.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <stdexcept>

namespace coord {

namespace {

constexpr const char *kTargets[] = {"gzip",   "wupwise", "swim",   "mgrid",    "applu",  "vpr",
                                    "gcc",    "mesa",    "art",    "mcf",      "crafty", "ammp",
                                    "lucas",  "fma3d",   "parser", "sixtrack", "eon",    "perlbmk",
                                    "vortex", "bzip2",   "apsi"};

constexpr double kQueue = 0.5; // of MemorySystem
constexpr int kSlow = 0, kFast = 1;
constexpr int kCandidates = 60; // of which the training set is selected
constexpr int kTraining = 40;   // workloads of a target on a class
constexpr int kSolo = 10;       // runs alone, of which rates and times are the means
// How far a run of a whole workload is off, beside what its programs are. B5's figure of sf-driven
// sets it, whose order is always the same.
constexpr double kBoardVaries = 0.04;
constexpr int kCells[] = {6, 5, 5}; // of the space of cache, bus and memory rates

Machine board() {
  Machine machine;
  machine.classes = {{1.0, 3}, {1.2, 2}};
  machine.cores = {{kFast, 0}, {kFast, 0}, {kSlow, 1}, {kSlow, 1}, {kSlow, 1}};
  machine.llcs = {{1 << 20, 2}, {512 << 10, 3}};
  machine.memory_gbps = 6.4; // DDR2-800, 64 bits
  machine.interconnect_gbps = 9.6;
  return machine;
}

// The truth in place of a prediction.
class Truth final : public SlowdownModel {
public:
  explicit Truth(const Dilation &dilation) : dilation_(dilation) {}
  void predict(const Machine &machine, std::span<const Resident> residents,
               std::span<double> percent) const override {
    std::vector<Program> programs(residents.size());
    std::vector<Running> running;
    for (std::size_t i = 0; i < residents.size(); i++) {
      programs[i].name = residents[i].app->name;
      running.push_back({&programs[i], residents[i].core, 1});
    }
    std::ranges::fill(percent, 1);
    dilation_.compute(machine, running, percent);
    for (double &value : percent)
      value = 100 * (value - 1);
  }

private:
  const Dilation &dilation_;
};

} // namespace

ContentionLab::ContentionLab(std::uint64_t seed)
    : machine_(board()), random_(seed), system_(machine_, kQueue, uniform(0.25, 0.5)) {
  const Machine amd = spec_machine("AMD-2,2");
  std::vector<double> misses;
  for (const char *const name : kTargets) {
    misses.push_back(misses_of_factor(amd, spec_factor(amd, name)));
    targets_.push_back({.name = name, .use = draw_use(misses.back())});
    // A tenth or less of what SPEC's programs take; only the ratios matter.
    targets_.back().seconds = uniform(5, 15);
    if (targets_.back().name == "art")
      targets_.back().use.misses = kArt;
  }
  std::vector<Target> candidates;
  for (int i = 0; i < kCandidates; i++)
    candidates.push_back({.use = draw_use(misses[random_() % misses.size()] * uniform(0.7, 1.3))});
  for (Target &target : targets_)
    run_alone(target);
  for (Target &candidate : candidates)
    run_alone(candidate);
  std::map<std::string, MemoryUse, std::less<>> uses;
  for (const Target &target : targets_)
    uses[target.name] = target.use;
  dilation_ = std::make_unique<MemoryDilation>(std::move(uses), system_);
  // One candidate of each cell that is not empty.
  const auto rates = [](const Target &target) {
    const Pressure &rate = target.rates[kFast];
    return std::array{rate.cache, rate.bus, rate.memory};
  };
  std::set<std::array<int, 3>> seen;
  for (const Target &candidate : candidates) {
    std::array<int, 3> cell;
    for (std::size_t r = 0; r < cell.size(); r++) {
      const auto by_rate = [&](const Target &target) { return rates(target)[r]; };
      const double least = by_rate(*std::ranges::min_element(candidates, {}, by_rate)),
                   most = by_rate(*std::ranges::max_element(candidates, {}, by_rate));
      cell[r] = std::min(kCells[r] - 1, static_cast<int>((by_rate(candidate) - least) /
                                                         (most - least) * kCells[r]));
    }
    if (seen.insert(cell).second)
      training_.push_back(candidate);
  }
  train();
}

MemoryUse ContentionLab::draw_use(double misses_at_2mib) {
  MemoryUse use = draw_memory_use(random_, misses_at_2mib);
  const double cycles = 4096 * kCpi0;
  use.compute_ns = {cycles * uniform(1.2, 2.2) / machine_.classes[kSlow].ghz,
                    cycles / machine_.classes[kFast].ghz};
  return use;
}

void ContentionLab::run_alone(Target &target) {
  for (const int c : {kSlow, kFast}) {
    const MemoryUser user{&target.use, c == kFast ? 0 : 2};
    const MemorySystem::Speed speed = system_.together({&user, 1})[0];
    target.alone_ns.push_back(speed.ns);
    Pressure rates;
    for (int run = 0; run < kSolo; run++) {
      const double us = measured(speed.ns) / 1000 * kSolo;
      const double lines = speed.misses * (1 + target.use.writes) / us;
      rates += {target.use.misses[1] / us, lines, lines * target.use.scatter};
    }
    target.rates.push_back(rates);
  }
}

// TARGET on class C with four of OTHERS, at random on the cores that are left.
std::vector<ContentionLab::Placed> ContentionLab::mix(const Target &target, int c,
                                                      const std::vector<Target> &others) {
  std::vector<int> classes = {kFast, kFast, kSlow, kSlow, kSlow};
  classes.erase(std::ranges::find(classes, c));
  std::ranges::shuffle(classes, random_);
  std::vector<Placed> mix = {{&target, c}};
  while (mix.size() < 5) {
    const Target *const other = &others[random_() % others.size()];
    if (std::ranges::find(mix, other, &Placed::target) == mix.end())
      mix.push_back({other, classes[mix.size() - 1]});
  }
  return mix;
}

// The first of MIX, measured.
Corun ContentionLab::corun(const std::vector<Placed> &mix) {
  std::vector<MemoryUser> users;
  int next[] = {2, 0}; // core, by class
  Corun result;
  for (const Placed &placed : mix) {
    users.push_back({&placed.target->use, next[placed.core_class]++});
    (placed.core_class == mix[0].core_class ? result.own : result.others) +=
        placed.target->rates[placed.core_class];
  }
  double alone = 0;
  for (int run = 0; run < kSolo; run++)
    alone += measured(mix[0].target->alone_ns[mix[0].core_class]) / kSolo;
  result.slowdown = 100 * (measured(system_.together(users)[0].ns) / alone - 1);
  return result;
}

void ContentionLab::train() {
  for (Target &target : targets_) {
    target.profile.pressure = target.rates;
    for (const int c : {kSlow, kFast}) {
      std::vector<Corun> runs;
      for (int run = 0; run < kTraining; run++)
        runs.push_back(corun(mix(target, c, training_)));
      target.profile.coefficients.push_back(fit_slowdown(runs));
    }
  }
}

ContentionLab::Errors ContentionLab::errors(int c, int workloads) {
  Errors errors;
  for (int i = 0; i < workloads; i++) {
    const Target &target = targets_[random_() % targets_.size()];
    const Corun run = corun(mix(target, c, targets_));
    const double predicted =
        clamp_slowdown(weighted_slowdown(target.profile.coefficients[c], run.own, run.others));
    const double error = std::abs(predicted - run.slowdown);
    errors.mean += error / workloads;
    errors.most = std::max(errors.most, error);
    errors.of_time += 100 * error / (100 + run.slowdown) / workloads;
  }
  return errors;
}

std::vector<ContentionLab::Workload> ContentionLab::draw_workloads(int count) {
  std::vector<Workload> workloads(count);
  for (Workload &workload : workloads) {
    for (std::size_t i = 0; i < targets_.size(); i++)
      workload.push_back(static_cast<int>(i));
    std::ranges::shuffle(workload, random_);
    workload.resize(10);
  }
  return workloads;
}

std::vector<std::vector<ContentionLab::Times>>
ContentionLab::times(const std::vector<Workload> &workloads, int runs, const std::string &policy,
                     const Parameters &parameters, bool truth) {
  // Longer than any workload takes.
  constexpr Time kBetween = 200 * kSecond;
  std::vector<std::vector<Times>> times(workloads.size());
  for (int run = 0; run < runs; run++) {
    std::vector<Program> programs;
    programs.reserve(workloads.size() * 10);
    Scenario scenario{.machine = machine_};
    for (std::size_t w = 0; w < workloads.size(); w++) {
      const double board = uniform(1 - kBoardVaries, 1 + kBoardVaries);
      for (const int t : workloads[w]) {
        const Target &target = targets_[t];
        const double factor = target.alone_ns[kSlow] / target.alone_ns[kFast];
        Program program;
        program.name = target.name;
        program.phases = {{board * measured(target.seconds * factor), {1, factor}, 0}};
        program.profile.factors = {1, factor};
        program.profile.contention = std::make_shared<ContentionProfile>(target.profile);
        programs.push_back(std::move(program));
        scenario.arrivals.push_back({&programs.back(), static_cast<Time>(w) * kBetween});
      }
    }
    scenario.policy = policy;
    scenario.parameters = parameters;
    scenario.seed = random_();
    scenario.dilation = dilation_.get();
    if (truth)
      scenario.make = [&](const Setup &setup) {
        return make_contention_by(setup, std::make_shared<Truth>(*dilation_));
      };
    for (std::vector<Times> &each : times)
      each.emplace_back();
    for (const Run &done : simulate(scenario).runs) {
      const std::size_t w = static_cast<std::size_t>(done.arrival) / 10;
      const Time took = done.end - static_cast<Time>(w) * kBetween;
      if (took > kBetween)
        throw std::logic_error("a workload took longer than the time between two");
      Times &sum = times[w].back();
      sum.execution += std::accumulate(done.cpu_s.begin(), done.cpu_s.end(), 0.0);
      sum.turnaround += seconds(took);
      sum.makespan = std::max(sum.makespan, seconds(took));
    }
  }
  return times;
}

} // namespace coord
