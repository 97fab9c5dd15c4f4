// SPDX-License-Identifier: GPL-3.0-or-later
// Table B: the contention-aware policy of paper 002 on simulated boards.
#include "sim/contention-lab.h"
#include "sim/tables.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace coord {

namespace {

using Makespans = std::vector<std::vector<double>>; // by workload and run

constexpr int kLabs = 6, kWorkloads = 40, kRuns = 10;

double mean(const std::vector<double> &values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The standard deviation of the runs of a workload in percent of their mean, mean of all workloads.
double deviation(const Makespans &makespans) {
  std::vector<double> all;
  for (const std::vector<double> &runs : makespans) {
    const double middle = mean(runs);
    double squares = 0;
    for (const double run : runs)
      squares += (run - middle) * (run - middle);
    all.push_back(100 * std::sqrt(squares / static_cast<double>(runs.size() - 1)) / middle);
  }
  return mean(all);
}

struct Gain {
  double mean = 0, most = -INFINITY, least = INFINITY; // percent, of workloads
};

// How much longer BASE takes than OURS.
Gain gain(const Makespans &base, const Makespans &ours) {
  Gain gain;
  for (std::size_t i = 0; i < base.size(); i++) {
    const double percent = 100 * (mean(base[i]) / mean(ours[i]) - 1);
    gain.mean += percent / static_cast<double>(base.size());
    gain.most = std::max(gain.most, percent);
    gain.least = std::min(gain.least, percent);
  }
  return gain;
}

// Means over labs, and the range of them.
struct Spread {
  std::vector<double> values;
  void operator+=(double value) { values.push_back(value); }
  operator double() const { return mean(values); }
  std::string range() const {
    const auto [least, most] = std::ranges::minmax(values);
    return std::to_string(std::lround(least)) + " to " + std::to_string(std::lround(most));
  }
};

struct GainSpread {
  Spread mean, most, least;
  void operator+=(const Gain &gain) {
    mean += gain.mean;
    most += gain.most;
    least += gain.least;
  }
};

constexpr double kThresholds[] = {10, 20, 40, 60, 80, 100, 120, 150, 200};
constexpr double kLearnedThresholds[] = {40, 60, 80};

// The mean gain over sf-driven by threshold, on workloads that no other figure is measured on.
struct Sweep {
  std::vector<double> thresholds;
  std::vector<Spread> gains;
  explicit Sweep(std::span<const double> of)
      : thresholds(of.begin(), of.end()), gains(thresholds.size()) {}
  double best() const {
    return thresholds[std::ranges::max_element(
                          gains, {}, [](const Spread &gain) { return static_cast<double>(gain); }) -
                      gains.begin()];
  }
};

struct Experiment {
  Spread fast_error, fast_worst, fast_time, slow_error, slow_worst, slow_time;
  Sweep sweep{kThresholds}, learned_sweep{kLearnedThresholds};
  GainSpread over_random, over_sf, truth_over_random, truth_over_sf, pulling_over_random,
      pulling_over_sf, over_gts, pulling_over_gts, learned_over_random, learned_over_sf,
      untaught_over_random;
  Spread ours_deviates, random_deviates, sf_deviates;
};

Experiment experiment() {
  Experiment result;
  std::vector<std::unique_ptr<ContentionLab>> labs;
  std::vector<std::vector<ContentionLab::Workload>> seen; // by the sweeps
  for (int seed = 1; seed <= kLabs; seed++) {
    ContentionLab &lab = *labs.emplace_back(std::make_unique<ContentionLab>(Board{}, seed));
    const ContentionLab::Errors fast = lab.errors(1, 80), slow = lab.errors(0, 80);
    result.fast_error += fast.mean;
    result.fast_worst += fast.most;
    result.fast_time += fast.of_time;
    result.slow_error += slow.mean;
    result.slow_worst += slow.most;
    result.slow_time += slow.of_time;
    seen.push_back(lab.draw_workloads(kWorkloads));
    const Makespans random = lab.makespans(seen.back(), kRuns, "random-order", {});
    const auto sweep = [&](Sweep &of, const char *policy, int runs) {
      for (std::size_t i = 0; i < of.gains.size(); i++)
        of.gains[i] += gain(random, lab.makespans(seen.back(), runs, policy,
                                                  {{"threshold", of.thresholds[i]}}))
                           .mean;
    };
    sweep(result.sweep, "contention", 3);
    sweep(result.learned_sweep, "contention-learned", 1);
  }
  const double threshold = result.sweep.best(), learned_threshold = result.learned_sweep.best();
  for (int l = 0; l < kLabs; l++) {
    ContentionLab &lab = *labs[l];
    const std::vector<ContentionLab::Workload> workloads = lab.draw_workloads(kWorkloads);
    const auto run = [&](const char *policy, const Parameters &parameters, int runs = kRuns,
                         bool truth = false) {
      return lab.makespans(workloads, runs, policy, parameters, truth);
    };
    const Makespans random = run("random-order", {}), sf = run("sf-driven", {}),
                    ours = run("contention", {{"threshold", threshold}});
    result.over_random += gain(random, ours);
    result.over_sf += gain(sf, ours);
    result.random_deviates += deviation(random);
    result.sf_deviates += deviation(sf);
    result.ours_deviates += deviation(ours);
    const Makespans truth = run("contention", {{"threshold", threshold}}, 3, true);
    result.truth_over_random += gain(random, truth);
    result.truth_over_sf += gain(sf, truth);
    const Makespans pulling = run("contention", {{"threshold", threshold}, {"pull", 1}});
    result.pulling_over_random += gain(run("random-order", {{"pull", 1}}), pulling);
    result.pulling_over_sf += gain(run("sf-driven", {{"pull", 1}}), pulling);
    // It decides every 10 ms, so a few workloads have to do.
    const auto few = [](const auto &all) { return std::vector(all.begin(), all.begin() + 10); };
    const Makespans gts = lab.makespans(few(workloads), 1, "gts", {});
    result.over_gts += gain(gts, few(ours));
    result.pulling_over_gts += gain(gts, few(pulling));
    const Parameters learning = {{"threshold", learned_threshold}};
    result.untaught_over_random += gain(random, run("contention-learned", learning, 3));
    std::vector<ContentionLab::Workload> both = seen[l];
    both.insert(both.end(), workloads.begin(), workloads.end());
    Makespans taught = lab.makespans(both, 3, "contention-learned", learning);
    taught.erase(taught.begin(), taught.begin() + kWorkloads);
    result.learned_over_random += gain(random, taught);
    result.learned_over_sf += gain(sf, taught);
  }
  return result;
}

const Experiment &results() {
  static const Experiment once = experiment();
  return once;
}

// 175.vpr on a fast core: 002's weights.
constexpr SlowdownWeights kVpr = {0.1358, 1.5498, 0.0091, 0.4163, 0.0357, -14.4522};

std::string text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

} // namespace

std::vector<Figure> table_contention() {
  constexpr double kAny = INFINITY;
  const Experiment &r = results();
  const double vpr = weighted_slowdown(kVpr, {23.58, 19.26, 11.27}, {50.27, 73.91, 34.06}),
               w1 = weighted_slowdown(kVpr, {46.20, 100.82, 95.06}, {0, 49.79, 93.55});
  const std::string spread_by_board = " by board";
  std::vector<Figure> figures = {
      {"B1", "predicted slowdown of vpr in the example", "50.69", vpr, "%", 50.68, 50.70},
      {"B1", "the same in workload W1 (measured: 167.28)", "173.0", w1, "%", 172.99, 173.01},
      {"B2", "error of predicted slowdowns, fast cores, mean", "6.66", r.fast_error, "points", 0, 7,
       r.fast_error.range() + " by board; working sets that fit or do not are not linear in rates"},
      {"B2", "the same, worst", "15.13", r.fast_worst, "points", -kAny, kAny},
      {"B2", "the same, of the execution time, mean", "-", r.fast_time, "%", -kAny, kAny},
      {"B2", "slow cores, mean", "9.60", r.slow_error, "points", 0, 10},
      {"B2", "the same, worst", "19.45", r.slow_worst, "points", -kAny, kAny},
      {"B2", "the same, of the execution time, mean", "-", r.slow_time, "%", -kAny, kAny},
      {"B3", "makespan, gain over random-order, mean", "12.04", r.over_random.mean, "%", 10, kAny,
       r.over_random.mean.range() + " by board; true slowdowns in place of predicted ones gain " +
           text(r.truth_over_random.mean)},
      {"B3", "the same, best workload", "28.32", r.over_random.most, "%", 20, kAny},
      {"B4", "over sf-driven, mean", "7.84", r.over_sf.mean, "%", 6, kAny,
       r.over_sf.mean.range() + " by board; true slowdowns in place of predicted ones gain " +
           text(r.truth_over_sf.mean) + "; sf-driven's order mixes programs well by itself"},
      {"B4", "the same, best workload", "28.51", r.over_sf.most, "%", 15, kAny},
      {"B4", "the same, worst workload", "-", r.over_sf.least, "%", -3, kAny,
       "without migration the makespan is that of the one program that ends last on a slow core; "
       "which one that is, a threshold decides by chance"},
      {"B3", "over gts, all programs at once, mean", "-", r.over_gts.mean, "%", -kAny, kAny},
      {"B3", "the same with pull", "-", r.pulling_over_gts.mean, "%", -kAny, kAny},
      {"B3", "over random-order, both with pull, mean", "-", r.pulling_over_random.mean, "%", -kAny,
       kAny},
      {"B4", "over sf-driven, both with pull, mean", "-", r.pulling_over_sf.mean, "%", -kAny, kAny},
      {"B5", "standard deviation of 10 runs: contention, less that of sf-driven", "-0.08",
       r.ours_deviates - r.sf_deviates, "points", -kAny, 0,
       "contention " + text(r.ours_deviates) + " (paper 2.37), sf-driven " + text(r.sf_deviates) +
           " (2.45): a little noise in who ends first changes whom the threshold lets in"},
      {"B5", "random-order, less that of contention", "3.85", r.random_deviates - r.ours_deviates,
       "points", 0, kAny},
      {"B6", "best threshold of 10 to 200", "inside", r.sweep.best(), "%", 20, 150},
      {"B7", "gain of contention-learned over random-order, of B3's", "-",
       100 * r.learned_over_random.mean / r.over_random.mean, "%", 80, kAny},
      {"B7", "contention-learned over sf-driven, mean", "-", r.learned_over_sf.mean, "%", 0, kAny},
      {"B7", "contention-learned over random-order, of B3's, before it has seen any workload", "-",
       100 * r.untaught_over_random.mean / r.over_random.mean, "%", -kAny, kAny},
  };
  for (Figure &figure : figures)
    if (figure.inside())
      figure.reason.clear();
  return figures;
}

std::vector<Figure> table_contention_sensitivity() {
  const Experiment &r = results();
  std::vector<Figure> figures;
  const auto add = [&](const std::string &id, const std::string &what, double gain) {
    figures.push_back({id, what, "-", gain, "%"});
  };
  for (std::size_t i = 0; i < r.sweep.gains.size(); i++)
    add("B6", "threshold " + text(r.sweep.thresholds[i]), r.sweep.gains[i]);
  for (std::size_t i = 0; i < r.learned_sweep.gains.size(); i++)
    add("B7", "contention-learned, threshold " + text(r.learned_sweep.thresholds[i]),
        r.learned_sweep.gains[i]);
  const auto vary = [&](const std::string &what, const Board &board, const Parameters &parameters) {
    Spread gains, errors;
    for (int seed = 1; seed <= 3; seed++) {
      ContentionLab lab(board, seed);
      errors += (lab.errors(0, 80).mean + lab.errors(1, 80).mean) / 2;
      const auto workloads = lab.draw_workloads(kWorkloads);
      gains += gain(lab.makespans(workloads, 3, "random-order", {}),
                    lab.makespans(workloads, 3, "contention", parameters))
                   .mean;
    }
    add("B3", what + " (error " + text(errors) + " points)", gains);
  };
  Parameters best = {{"threshold", r.sweep.best()}};
  vary("3 boards", {}, best);
  vary("memory 3.2 GB/s, interconnect 4.8", {.memory_gbps = 3.2, .interconnect_gbps = 4.8}, best);
  vary("memory 12.8 GB/s, interconnect 19.2", {.memory_gbps = 12.8, .interconnect_gbps = 19.2},
       best);
  vary("queues half as long", {.queue = 0.25}, best);
  vary("queues twice as long", {.queue = 1}, best);
  best["fast_first"] = 0;
  vary("idle slow cores choose first", {}, best);
  return figures;
}

} // namespace coord
