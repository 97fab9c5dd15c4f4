// SPDX-License-Identifier: GPL-3.0-or-later
// Table A: the HASS family on paper 004's machines.
#include "core/registry.h"
#include "model/miss_model.h"
#include "sim/draws.h"
#include "sim/engine.h"
#include "sim/spec2000.h"
#include "sim/tables.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>
#include <tuple>

namespace coord {

namespace {

constexpr double kWork = 60; // seconds of a program on a slow core

// A workload under a policy.
struct Measured {
  double gain = 0;           // over default, % of the geometric mean
  std::vector<double> times; // mean completion time of each program, in the workload's order
  double stp = 0;            // of it alone on a fast core, mean over programs
  double wall_over_cpu = 0;  // %, mean over programs
  std::map<std::string, double> on_fast; // share of its CPU time that a program had there, %
};

// How a measurement differs from the usual one.
struct Variant {
  bool free_migration = false;
  Parameters parameters = {};
};

const Variant kFree{.free_migration = true};
const Variant kPage{.parameters = {{"page", 1}}};

// A workload on a machine, and what is true of it whatever the policy: how long each thread takes
// on each core beside others that stay where they are.
class Bench {
public:
  Bench(const Machine &machine, const SpecWorkload &workload, int copies, const SpecDraw &draw,
        bool shared_caches);
  Bench(const Bench &) = delete;

  const std::deque<Program> &programs() const { return programs_; }
  const Dilation *dilation() const { return dilation_.get(); }
  int copies() const { return copies_; }
  // Seconds that program P takes by default: as long on cores of each class as there are such
  // cores, beside the others.
  double usual(std::size_t p) const { return usual_[p]; }
  // Seconds that it takes alone on a fast core.
  double fastest(std::size_t p) const { return kWork / factors_[p]; }
  // The gain of the best of all fixed mappings over default, %.
  double best_static() const { return best_static_; }

private:
  using Mapping = std::vector<int>; // of each thread the core
  void add_programs(const SpecWorkload &workload, const SpecDraw &draw, bool shared_caches);
  void measure_usual(Mapping &mapping, std::mt19937_64 &random);
  std::vector<double> times(const Mapping &mapping) const;
  double cost(const Mapping &mapping) const;
  double descend(Mapping &mapping) const;

  const Machine &machine_;
  int copies_;
  std::deque<Program> programs_;
  std::vector<double> factors_; // of each program, on a fast core
  std::unique_ptr<CacheDilation> dilation_;
  std::vector<double> usual_;
  double best_static_ = 0;
};

// How many mappings stand for all where caches are shared: for the default, and as starts of the
// search for the best.
constexpr int kMappings = 60, kStarts = 2;

Bench::Bench(const Machine &machine, const SpecWorkload &workload, int copies, const SpecDraw &draw,
             bool shared_caches)
    : machine_(machine), copies_(copies) {
  add_programs(workload, draw, shared_caches);
  Mapping mapping(machine.cores.size());
  std::iota(mapping.begin(), mapping.end(), 0);
  std::mt19937_64 random(draw.seed);
  measure_usual(mapping, random);
  double best = std::numeric_limits<double>::infinity();
  for (int start = 0; start < kStarts; start++) {
    std::ranges::shuffle(mapping, random);
    best = std::min(best, descend(mapping));
  }
  best_static_ = 100 * (1 - std::exp(best));
}

void Bench::add_programs(const SpecWorkload &workload, const SpecDraw &draw, bool shared_caches) {
  std::map<std::string, MemoryUse, std::less<>> uses;
  for (const char *const name : workload.programs) {
    programs_.push_back(spec_program(machine_, name, kWork, draw));
    double fast = 0;
    for (const Phase &phase : programs_.back().phases)
      fast += phase.work / phase.factors.back() / kWork;
    factors_.push_back(1 / fast);
    uses[name] = spec_memory_use(machine_, name, draw);
  }
  if (shared_caches)
    dilation_ = std::make_unique<CacheDilation>(machine_, std::move(uses), 0.35);
}

// The default, over random mappings. MAPPING is the last of them then.
void Bench::measure_usual(Mapping &mapping, std::mt19937_64 &random) {
  std::vector<double> sums(2 * programs_.size()), counts(sums.size());
  for (int i = 0; i < kMappings; i++) {
    std::ranges::shuffle(mapping, random);
    const std::vector<double> took = times(mapping);
    for (std::size_t t = 0; t < mapping.size(); t++) {
      const std::size_t at = 2 * (t / copies_) + machine_.cores[mapping[t]].core_class;
      sums[at] += took[t];
      counts[at]++;
    }
  }
  const double fast = static_cast<double>(machine_.classes.back().cores) / machine_.core_count();
  for (std::size_t p = 0; p < programs_.size(); p++)
    usual_.push_back((1 - fast) * sums[2 * p] / counts[2 * p] +
                     fast * sums[2 * p + 1] / counts[2 * p + 1]);
}

// The mean logarithm of times with MAPPING over the usual ones.
double Bench::cost(const Mapping &mapping) const {
  const std::vector<double> took = times(mapping);
  double logs = 0;
  for (std::size_t t = 0; t < took.size(); t++)
    logs += std::log(took[t] / usual_[t / copies_]) / static_cast<double>(took.size());
  return logs;
}

// Swaps threads of MAPPING as long as one swap makes it better. Returns its cost.
double Bench::descend(Mapping &mapping) const {
  double here = cost(mapping);
  for (bool better = true; better;) {
    better = false;
    for (std::size_t a = 0; a < mapping.size(); a++)
      for (std::size_t b = a + 1; b < mapping.size(); b++) {
        if (a / copies_ == b / copies_ ||
            machine_.cores[mapping[a]].llc == machine_.cores[mapping[b]].llc)
          continue;
        std::swap(mapping[a], mapping[b]);
        if (const double then = cost(mapping); then < here - 1e-9) {
          here = then;
          better = true;
        } else
          std::swap(mapping[a], mapping[b]);
      }
  }
  return here;
}

std::vector<double> Bench::times(const Mapping &mapping) const {
  std::vector<double> times;
  std::vector<Running> running;
  for (std::size_t t = 0; t < mapping.size(); t++) {
    running.push_back({&programs_[t / copies_], mapping[t], 1});
    times.push_back(machine_.cores[mapping[t]].core_class ? kWork / factors_[t / copies_] : kWork);
  }
  std::vector<double> slower(mapping.size(), 1);
  if (dilation_)
    dilation_->compute(machine_, running, slower);
  for (std::size_t t = 0; t < mapping.size(); t++)
    times[t] *= slower[t];
  return times;
}

class Evaluation {
public:
  explicit Evaluation(const char *machine, const SpecDraw &draw = {})
      : large_(machine == std::string_view("AMD-12,4")), machine_(spec_machine(machine)),
        draw_(draw) {}

  const Measured &measure(const SpecWorkload &workload, const char *policy,
                          const Variant &variant = {});
  double best_static(const SpecWorkload &workload) { return bench(workload).best_static(); }
  // How much longer with gain OURS than with gain OTHER, geometric mean, %.
  static double behind(double ours, double other) {
    return 100 * ((1 - ours / 100) / (1 - other / 100) - 1);
  }

  const Bench &bench(const SpecWorkload &workload) {
    std::unique_ptr<Bench> &bench = benches_[workload.name];
    if (!bench)
      bench =
          std::make_unique<Bench>(machine_, workload, large_ ? workload.copies : 1, draw_, large_);
    return *bench;
  }

  bool large_;
  Machine machine_;
  SpecDraw draw_;
  std::map<std::string, std::unique_ptr<Bench>> benches_;
  std::map<std::string, Measured> seen_;
};

const Measured &Evaluation::measure(const SpecWorkload &workload, const char *policy,
                                    const Variant &variant) {
  std::string key = std::string(workload.name) + policy + (variant.free_migration ? "+" : "");
  for (const auto &[name, value] : variant.parameters)
    key += name + std::to_string(value);
  const auto [found, made] = seen_.try_emplace(key);
  Measured &measured = found->second;
  if (!made)
    return measured;
  const Bench &bench = this->bench(workload);
  Scenario scenario{.machine = machine_};
  const int copies = bench.copies();
  // They come one after the other, in any order.
  std::vector<Time> order(bench.programs().size() * copies);
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(draw_.seed);
  std::ranges::shuffle(order, random);
  for (const Program &program : bench.programs())
    for (int copy = 0; copy < copies; copy++)
      scenario.arrivals.push_back(
          {&program, order[scenario.arrivals.size()] * 130 * kMillisecond, 0});
  scenario.policy = policy;
  scenario.least_runs = 3;
  scenario.migrations_cost = !variant.free_migration;
  scenario.parameters = variant.parameters;
  scenario.page = variant.parameters.contains("page");
  scenario.dilation = bench.dilation();
  scenario.remote = large_ && !variant.free_migration ? spec_remote(draw_) : 1;
  const Result result = simulate(scenario);
  double logs = 0;
  for (std::size_t p = 0; p < bench.programs().size(); p++) {
    double all_wall = 0, copies_wall = 0, cpu = 0, cpu_fast = 0;
    for (int copy = 0; copy < copies; copy++) {
      double wall = 0;
      int runs = 0;
      for (const Run &run : result.runs)
        if (run.arrival == static_cast<int>(p) * copies + copy) {
          runs++;
          wall += run.wall_s();
          cpu += run.cpu_s[0] + run.cpu_s[1];
          cpu_fast += run.cpu_s[1];
        }
      logs += std::log(bench.usual(p) * runs / wall) / copies;
      measured.stp += bench.fastest(p) * runs / wall / static_cast<double>(order.size());
      copies_wall += wall / runs;
      all_wall += wall;
    }
    measured.times.push_back(copies_wall / copies);
    measured.wall_over_cpu +=
        100 * (all_wall / cpu - 1) / static_cast<double>(bench.programs().size());
    measured.on_fast[bench.programs()[p].name] = 100 * cpu_fast / cpu;
  }
  measured.gain = 100 * (1 - std::exp(-logs / static_cast<double>(bench.programs().size())));
  return measured;
}

using Workloads = std::vector<SpecWorkload>;

template <typename Function> double mean(const Workloads &workloads, Function value) {
  double sum = 0;
  for (const SpecWorkload &workload : workloads)
    sum += value(workload);
  return sum / static_cast<double>(workloads.size());
}

template <typename Function> double largest(const Workloads &workloads, Function value) {
  double found = -1e9;
  for (const SpecWorkload &workload : workloads)
    found = std::max(found, value(workload));
  return found;
}

// COPIES of mgrid on AMD-2,2 under HAFS: how far the thread that is farthest from EXPECTED % of CPU
// time on fast cores is.
double unfairness(int copies, double expected) {
  const Machine machine = spec_machine("AMD-2,2");
  const Program mgrid = spec_program(machine, "mgrid", 240, {});
  Scenario scenario{.machine = machine};
  scenario.policy = "hafs";
  for (int copy = 0; copy < copies; copy++)
    scenario.arrivals.push_back({&mgrid, 0, 1});
  // Until the first one ends all are there.
  scenario.least_runs = 0;
  scenario.record = true;
  const Result result = simulate(scenario);
  const Time end = result.runs.front().end;
  std::vector<double> fast(copies), all(copies);
  for (const Result::Segment &segment : result.segments) {
    const double cpu =
        seconds(std::min(segment.to, end) - std::min(segment.from, end)) * segment.share;
    all[segment.arrival] += cpu;
    if (machine.cores[segment.core].core_class == 1)
      fast[segment.arrival] += cpu;
  }
  double worst = 0;
  for (int copy = 0; copy < copies; copy++)
    worst = std::max(worst, std::abs(100 * fast[copy] / all[copy] - expected));
  return worst;
}

double error_of_vectors() {
  const Machine amd = spec_machine("AMD-2,2"), intel = spec_machine("Intel-2,2");
  double worst = 0;
  for (const auto &[machine, misses, factor] : {std::tuple(&amd, 0., 2.),
                                                {&amd, 20., 1.572},
                                                {&amd, 60., 1.308},
                                                {&amd, 107., 1.2},
                                                {&intel, 0., 1.5},
                                                {&intel, 11., 1.325}})
    worst = std::max(worst, std::abs(miss_factors(*machine, misses).back() - factor));
  return worst;
}

// Of the machine of 16 cores, which takes longest to simulate, fewer.
constexpr unsigned kDraws = 6, kLargeDraws = 3;

struct Machines {
  explicit Machines(const SpecDraw &draw)
      : amd("AMD-2,2", draw), intel("Intel-2,2", draw), large("AMD-12,4", draw), draw(draw) {}
  Evaluation amd, intel, large;
  SpecDraw draw;
};

double gain(Evaluation &on, const SpecWorkload &workload, const char *policy) {
  return on.measure(workload, policy).gain;
}

// How much longer programs take under POLICY than under OTHER, "" being the best of all fixed
// mappings; %.
double behind(Evaluation &on, const SpecWorkload &workload, const char *policy, const char *other) {
  return Evaluation::behind(gain(on, workload, policy),
                            *other ? gain(on, workload, other) : on.best_static(workload));
}

// The table's figures, each the mean of some draws of the programs' phases.
class TableA : FigureRows {
public:
  TableA();
  std::vector<Figure> figures();

private:
  using On = Evaluation Machines::*;
  static constexpr On amd = &Machines::amd, intel = &Machines::intel, large = &Machines::large;

  // VALUE of the machine ON of each draw.
  template <class Value> Draws each(On on, Value value) {
    Draws figure;
    for (Machines &machines : draws)
      if (on != large || machines.draw.seed <= kLargeDraws)
        figure += value(machines.*on);
    return figure;
  }
  Draws mean_gain(On on, const Workloads &workloads, const char *policy);
  Draws mean_behind(On on, const Workloads &workloads, const char *policy, const char *other);
  Draws worst_behind(On on, const Workloads &workloads, const char *policy, const char *other);
  // How many sets gain more by "ipc" than by "hass-s".
  Draws above(On on, const Workloads &workloads);
  void add_vectors();     // A1
  void add_static();      // A2, A3
  void add_dynamic();     // A4
  void add_best_static(); // A5
  void add_fair();        // A6 to A8
  void add_by_ipc();      // A9
  void add_by_page();     // A10
  void add_many_cores();  // A11

  std::deque<Machines> draws;
  const Workloads &set1 = spec_set1(), &set2 = spec_set2();
  const Workloads hh{set1.begin(), set1.begin() + 3}, mh{set1.begin() + 3, set1.end()};
  const Workloads late{set2.begin() + 3, set2.end()};
  Workloads both = set1;
};

TableA::TableA() {
  for (unsigned seed = 1; seed <= kDraws; seed++)
    draws.emplace_back(SpecDraw{.seed = seed});
  both.insert(both.end(), set2.begin(), set2.end());
}

Draws TableA::mean_gain(On on, const Workloads &workloads, const char *policy) {
  return each(on, [&](Evaluation &machine) {
    return mean(workloads,
                [&](const SpecWorkload &workload) { return gain(machine, workload, policy); });
  });
}

Draws TableA::mean_behind(On on, const Workloads &workloads, const char *policy,
                          const char *other) {
  return each(on, [&](Evaluation &machine) {
    return mean(workloads, [&](const SpecWorkload &workload) {
      return behind(machine, workload, policy, other);
    });
  });
}

Draws TableA::worst_behind(On on, const Workloads &workloads, const char *policy,
                           const char *other) {
  return each(on, [&](Evaluation &machine) {
    return largest(workloads, [&](const SpecWorkload &workload) {
      return behind(machine, workload, policy, other);
    });
  });
}

Draws TableA::above(On on, const Workloads &workloads) {
  return each(on, [&](Evaluation &machine) {
    return static_cast<double>(std::ranges::count_if(workloads, [&](const SpecWorkload &workload) {
      return behind(machine, workload, "ipc", "hass-s") < 0;
    }));
  });
}

void TableA::add_vectors() {
  add("A1", "speedup factors from misses, largest error of six vectors", "-", error_of_vectors(),
      "", 0, 1e-3);
}

void TableA::add_static() {
  const double printed[] = {12.5, 10, 11, 10, 8, 6, 8};
  const char *const texts[] = {"12.5", "10", "11", "10", "8", "6", "8"};
  for (std::size_t i = 0; i < set1.size(); i++)
    add("A2", std::string("calibration: HASS-S over default, AMD-2,2, ") + set1[i].name, texts[i],
        mean_gain(amd, {set1[i]}, "hass-s"), "%", printed[i] - 0.5, printed[i] + 0.5);
  add("A2", "HASS-S behind best static, AMD-2,2, worst", "0", worst_behind(amd, set1, "hass-s", ""),
      "%", -0.5, 0.5);

  add("A3", "HASS-S over HAFS, AMD-2,2, HH", "6", mean_behind(amd, hh, "hafs", "hass-s"), "%", 5,
      8);
  add("A3", "HASS-S over HAFS, AMD-2,2, MH", "2", mean_behind(amd, mh, "hafs", "hass-s"), "%", 1,
      4);
}

void TableA::add_dynamic() {
  add("A4", "HASS-D behind HASS-S, AMD-2,2, worst", "<= 1",
      worst_behind(amd, set1, "hass-d", "hass-s"), "%", 0, 1);
  add("A4", "HASS-D behind HASS-S, Intel-2,2, worst", "<= 2.5",
      worst_behind(intel, set1, "hass-d", "hass-s"), "%", 0, 2.5);
  add("A4", "HASS-D behind HASS-S, AMD-12,4, worst", "<= 3.5",
      worst_behind(large, both, "hass-d", "hass-s"), "%", 0, 3.5);
  add("A4", "the same, W4 to W8, mean", "> 0", mean_behind(large, late, "hass-d", "hass-s"), "%", 0,
      3.5);
}

void TableA::add_best_static() {
  add("A5", "HASS-S behind best static, Intel-2,2, mean", "0.5",
      mean_behind(intel, set1, "hass-s", ""), "%", 0, 1);
  add("A5", "HASS-S behind best static, AMD-12,4, HH1", "2",
      mean_behind(large, {set1[0]}, "hass-s", ""), "%", 1, 3);
  add("A5", "HASS-S behind best static, AMD-12,4, MH1", "7",
      mean_behind(large, {set1[3]}, "hass-s", ""), "%", 3, 9,
      "working sets with 100 misses in place of 40 give 2.7, and put A4 on AMD-12,4 outside (3.8)");
  add("A5", "HASS-S behind best static, AMD-12,4, W1 to W8, worst", "2.5",
      worst_behind(large, set2, "hass-s", ""), "%", 1.5, 3.5);
}

void TableA::add_fair() {
  add("A6", "HAFS over default, AMD-2,2, mean", "5", mean_gain(amd, set1, "hafs"), "%", 4, 6);
  add("A6", "HAFS over default, Intel-2,2, mean", "2", mean_gain(intel, set1, "hafs"), "%", 1, 3);
  add("A6", "HAFS over default, AMD-12,4, mean", "0", mean_gain(large, both, "hafs"), "%", -2, 2);

  add("A7", "HAFS, 3 copies of mgrid on 2+2: CPU time on fast cores, farthest thread from 66.7",
      "0", unfairness(3, 200. / 3), "points", 0, 1);
  double farthest = 0;
  for (int copies = 4; copies <= 10; copies++)
    farthest = std::max(farthest, unfairness(copies, 50));
  add("A7", "the same, 4 to 10 copies, farthest from 50", "0", farthest, "points", 0, 1);

  add("A8", "HAFS over ideal round robin, AMD-2,2, worst program", "<= 6",
      each(amd,
           [&](Evaluation &machine) {
             return largest(set1, [&](const SpecWorkload &workload) {
               const auto &real = machine.measure(workload, "hafs").times,
                          &ideal = machine.measure(workload, "round-robin", kFree).times;
               double worst = 0;
               for (std::size_t i = 0; i < real.size(); i++)
                 worst = std::max(worst, 100 * (real[i] / ideal[i] - 1));
               return worst;
             });
           }),
      "%", 4, 8);
}

void TableA::add_by_ipc() {
  add("A9", "IPC-driven above HASS-S, AMD-2,2", "0", above(amd, set1), "of 7", 0, 0);
  add("A9", "IPC-driven above HASS-S, Intel-2,2", "0", above(intel, set1), "of 7", 0, 0);
  add("A9", "IPC-driven above HASS-S, AMD-12,4", "0", above(large, both), "of 15", 0, 0);
  add("A9", "the same by system throughput (STP) in place of the geometric mean", "-",
      each(large,
           [&](Evaluation &machine) {
             return static_cast<double>(
                 std::ranges::count_if(both, [&](const SpecWorkload &workload) {
                   return machine.measure(workload, "ipc").stp >
                          machine.measure(workload, "hass-s").stp;
                 }));
           }),
      "of 15");
  add("A9", "IPC-driven over default, AMD-2,2, HH1", "6", mean_gain(amd, {set1[0]}, "ipc"), "%", 4,
      8);
  add(
      "A9", "IPC-driven over default, AMD-2,2 and Intel-2,2, best", "7",
      [&] {
        Draws best;
        for (Machines &machines : draws)
          best += largest(set1, [&](const SpecWorkload &workload) {
            return std::max(gain(machines.amd, workload, "ipc"),
                            gain(machines.intel, workload, "ipc"));
          });
        return best;
      }(),
      "%", 5, 9);
  add("A9", "IPC-driven, HH1: mcf's CPU time on fast cores, by the length of its phases", "51",
      each(amd,
           [&](Evaluation &machine) { return machine.measure(set1[0], "ipc").on_fast.at("mcf"); }),
      "%");
  add("A9", "IPC-driven, wall over CPU time, AMD-2,2, mean", "some",
      each(amd,
           [&](Evaluation &machine) {
             return mean(set1, [&](const SpecWorkload &workload) {
               return machine.measure(workload, "ipc").wall_over_cpu;
             });
           }),
      "%", 0.1, 10);
}

void TableA::add_by_page() {
  add("A10", "ipc with factors from a page, behind HASS-S, AMD-2,2, worst", "-",
      each(amd,
           [&](Evaluation &machine) {
             return largest(set1, [&](const SpecWorkload &workload) {
               return Evaluation::behind(machine.measure(workload, "ipc", kPage).gain,
                                         gain(machine, workload, "hass-s"));
             });
           }),
      "%", -1, 1);
  const auto mcf_by_page = [&](double swing) {
    Draws figure;
    for (unsigned seed = 1; seed <= kDraws; seed++) {
      Evaluation on("AMD-2,2", {.seed = seed, .swing = swing});
      figure += on.measure(set1[1], "ipc", kPage).on_fast.at("mcf");
    }
    return figure;
  };
  add("A10", "the same, HH2, only mcf has phases: its CPU time on fast cores", "25", mcf_by_page(0),
      "%", 20, 30);
  add("A10", "the same, all programs have phases", "-", mcf_by_page(SpecDraw().swing), "%");
}

void TableA::add_many_cores() {
  add("A11", "IPC-driven over default, AMD-12,4, W4 to W8, mean", "down to -7",
      mean_gain(large, late, "ipc"), "%", -8, 0,
      "neither programs that vary more nor slower remote memory bring it below 0");
  add("A11", "HAFS over default, AMD-12,4, W4 to W8, mean", "down to -7",
      mean_gain(large, late, "hafs"), "%", -8, 0);
}

std::vector<Figure> TableA::figures() {
  add_vectors();
  add_static();
  add_dynamic();
  add_best_static();
  add_fair();
  add_by_ipc();
  add_by_page();
  add_many_cores();
  return found;
}

} // namespace

std::vector<Figure> table_a() { return TableA().figures(); }

} // namespace coord
