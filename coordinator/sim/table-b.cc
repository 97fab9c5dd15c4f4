// SPDX-License-Identifier: GPL-3.0-or-later
// Table B: the contention-aware policy of paper 002 on simulated boards.
#include "sim/contention-lab.h"
#include "sim/tables.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace coord {

namespace {

using Times = ContentionLab::Times;
using Runs = std::vector<std::vector<Times>>; // by workload and run
using Metric = double Times::*;

constexpr int kLabs = 6, kWorkloads = 40, kRuns = 10;

double mean(const std::vector<double> &values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<double> values(const std::vector<Times> &runs, Metric metric) {
  std::vector<double> values;
  for (const Times &times : runs)
    values.push_back(times.*metric);
  return values;
}

// The standard deviation of the runs of a workload in percent of their mean, mean of all workloads.
double deviation(const Runs &workloads, Metric metric) {
  std::vector<double> all;
  for (const std::vector<Times> &times : workloads) {
    const std::vector<double> runs = values(times, metric);
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
Gain gain(const Runs &base, const Runs &ours, Metric metric) {
  Gain gain;
  for (std::size_t i = 0; i < base.size(); i++) {
    const double percent =
        100 * (mean(values(base[i], metric)) / mean(values(ours[i], metric)) - 1);
    gain.mean += percent / static_cast<double>(base.size());
    gain.most = std::max(gain.most, percent);
    gain.least = std::min(gain.least, percent);
  }
  return gain;
}

struct GainDraws {
  Draws mean, most, least;
  void operator+=(const Gain &gain) {
    mean += gain.mean;
    most += gain.most;
    least += gain.least;
  }
};

// By each of the three metrics that the paper's words allow.
struct Gains {
  GainDraws execution, turnaround, makespan;
  void add(const Runs &base, const Runs &ours) {
    execution += gain(base, ours, &Times::execution);
    turnaround += gain(base, ours, &Times::turnaround);
    makespan += gain(base, ours, &Times::makespan);
  }
};

struct Deviations {
  Draws execution, makespan;
  void add(const Runs &runs) {
    execution += deviation(runs, &Times::execution);
    makespan += deviation(runs, &Times::makespan);
  }
};

constexpr double kThresholds[] = {10, 20, 40, 60, 80, 100, 120, 150, 200};

// The mean gain over random-order by threshold, on workloads that no other figure is measured on.
struct Sweep {
  Draws gains[std::size(kThresholds)];
  double best() const {
    return kThresholds[std::ranges::max_element(gains, {}, &Draws::mean) - gains];
  }
};

struct Experiment {
  Draws fast_error, fast_worst, fast_time, slow_error, slow_worst, slow_time;
  Sweep sweep;
  Gains over_random, over_sf, truth_over_random, truth_over_sf, over_gts, pulling_over_gts,
      pulling_over_self;
  Deviations ours_deviates, random_deviates, sf_deviates;
};

using Workloads = std::vector<ContentionLab::Workload>;

void measure_errors(ContentionLab &lab, Experiment &result) {
  const ContentionLab::Errors fast = lab.errors(1, 80), slow = lab.errors(0, 80);
  result.fast_error += fast.mean;
  result.fast_worst += fast.most;
  result.fast_time += fast.of_time;
  result.slow_error += slow.mean;
  result.slow_worst += slow.most;
  result.slow_time += slow.of_time;
}

void sweep_thresholds(ContentionLab &lab, Experiment &result) {
  const Workloads workloads = lab.draw_workloads(kWorkloads);
  const Runs random = lab.times(workloads, kRuns, "random-order", {});
  for (std::size_t i = 0; i < std::size(kThresholds); i++)
    result.sweep.gains[i] +=
        gain(random, lab.times(workloads, 3, "contention", {{"threshold", kThresholds[i]}}),
             &Times::execution)
            .mean;
}

// The policies with the best threshold of the sweep, which has seen other workloads.
void compare(ContentionLab &lab, Experiment &result) {
  const double threshold = result.sweep.best();
  const Workloads workloads = lab.draw_workloads(kWorkloads);
  const auto run = [&](const char *policy, const Parameters &parameters, int runs = kRuns,
                       bool truth = false) {
    return lab.times(workloads, runs, policy, parameters, truth);
  };
  const Runs random = run("random-order", {}), sf = run("sf-driven", {}),
             ours = run("contention", {{"threshold", threshold}});
  result.over_random.add(random, ours);
  result.over_sf.add(sf, ours);
  result.random_deviates.add(random);
  result.sf_deviates.add(sf);
  result.ours_deviates.add(ours);
  const Runs truth = run("contention", {{"threshold", threshold}}, 3, true);
  result.truth_over_random.add(random, truth);
  result.truth_over_sf.add(sf, truth);
  const Runs pulling = run("contention", {{"threshold", threshold}, {"pull", 1}}, 3);
  result.pulling_over_self.add(ours, pulling);
  // It decides every 10 ms, so a few workloads have to do.
  const auto few = [](const Runs &all) { return Runs(all.begin(), all.begin() + 10); };
  const Runs gts = lab.times({workloads.begin(), workloads.begin() + 10}, 1, "gts", {});
  result.over_gts.add(gts, few(ours));
  result.pulling_over_gts.add(gts, few(pulling));
}

Experiment experiment() {
  Experiment result;
  std::vector<std::unique_ptr<ContentionLab>> labs;
  for (int seed = 1; seed <= kLabs; seed++) {
    ContentionLab &lab = *labs.emplace_back(std::make_unique<ContentionLab>(seed));
    measure_errors(lab, result);
    sweep_thresholds(lab, result);
  }
  for (const auto &lab : labs)
    compare(*lab, result);
  return result;
}

// 175.vpr on a fast core: 002's weights.
constexpr SlowdownWeights kVpr = {0.1358, 1.5498, 0.0091, 0.4163, 0.0357, -14.4522};

std::string text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

// The rows of the table.
class Rows : FigureRows {
public:
  explicit Rows(const Experiment &of) : r(of) {}
  std::vector<Figure> figures() {
    add_predictions();
    add_comparisons();
    add_deviations();
    add_thresholds();
    return found;
  }

private:
  // A gain by three metrics. The first is the paper's; its band has the paper's figure in the
  // middle.
  void add_gains(const char *id, const std::string &what, const char *paper, const Gains &gains,
                 double least = -kAny, double most = kAny) {
    add(id, what + ", execution times, mean", paper, gains.execution.mean, "%", least, most);
    add(id, "the same, turnaround", "-", gains.turnaround.mean, "%");
    add(id, "the same, makespan", "-", gains.makespan.mean, "%");
  }
  void add_predictions(); // B1, B2
  void add_comparisons(); // B3, B4
  void add_deviations();  // B5
  void add_thresholds();  // B6

  const Experiment &r;
};

void Rows::add_predictions() {
  const double vpr = weighted_slowdown(kVpr, {23.58, 19.26, 11.27}, {50.27, 73.91, 34.06}),
               w1 = weighted_slowdown(kVpr, {46.20, 100.82, 95.06}, {0, 49.79, 93.55});
  add("B1", "predicted slowdown of vpr in the example", "50.69", vpr, "%", 50.68, 50.70);
  add("B1", "the same in workload W1 (measured: 167.28)", "173.0", w1, "%", 172.99, 173.01);
  add("B2", "error of predicted slowdowns, fast cores, mean", "6.66", r.fast_error, "points", 4, 9);
  add("B2", "the same, worst", "15.13", r.fast_worst, "points", 10, 20,
      "a working set fits beside one neighbour and not beside another; without such sets 16.3, and "
      "the mean 2.8");
  add("B2", "the same, of the execution time, mean", "-", r.fast_time, "%");
  add("B2", "slow cores, mean", "9.60", r.slow_error, "points", 4, 12);
  add("B2", "the same, worst", "19.45", r.slow_worst, "points", 14, 25);
  add("B2", "the same, of the execution time, mean", "-", r.slow_time, "%");
}

void Rows::add_comparisons() {
  add_gains("B3", "contention over random-order", "12.04", r.over_random, 9, 15);
  add("B3", "execution times, best workload", "28.32", r.over_random.execution.most, "%", 20, 36);
  add_gains("B4", "contention over sf-driven", "7.84", r.over_sf, 5, 11);
  add("B4", "execution times, best workload", "28.51", r.over_sf.execution.most, "%", 20, 36);
  add("B4", "execution times, worst workload", "> 0", r.over_sf.execution.least, "%", -3, kAny,
      "with true slowdowns in place of predicted ones " +
          text(r.truth_over_sf.execution.least.mean()) +
          ": a thread that is passed over meets other neighbours later");
  add("B4", "makespan, worst workload", "-", r.over_sf.makespan.least, "%");
  add_gains("B3", "contention that knows true slowdowns, over random-order", "-",
            r.truth_over_random);
  add_gains("B4", "the same over sf-driven", "-", r.truth_over_sf);
  add_gains("B3", "contention over gts, which runs all programs at once", "-", r.over_gts);
  add_gains("B3", "contention with pull over gts", "-", r.pulling_over_gts);
  add_gains("B3", "contention with pull over contention without", "-", r.pulling_over_self);
}

void Rows::add_deviations() {
  for (const auto &[what, paper, middle, deviations] :
       {std::tuple("contention", "2.37", 2.37, &r.ours_deviates),
        {"random-order", "6.22", 6.22, &r.random_deviates},
        {"sf-driven, by which it was set how far a run is off", "2.45", 2.45, &r.sf_deviates}}) {
    add("B5", std::string("standard deviation of 10 runs, execution times, ") + what, paper,
        deviations->execution, "%", middle - 1, middle + 1);
    add("B5", "the same, makespan", "-", deviations->makespan, "%");
  }
}

void Rows::add_thresholds() {
  add("B6", "best threshold of 10 to 200, by execution times", "inside", r.sweep.best(), "%", 20,
      150);
  for (std::size_t i = 0; i < std::size(kThresholds); i++)
    add("B6", "contention over random-order, threshold " + text(kThresholds[i]), "-",
        r.sweep.gains[i], "%");
}

} // namespace

std::vector<Figure> table_b() { return Rows(experiment()).figures(); }

} // namespace coord
