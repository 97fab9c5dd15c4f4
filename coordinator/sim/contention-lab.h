// SPDX-License-Identifier: GPL-3.0-or-later
// The experiments of paper 002 on a simulated board of 2 fast and 3 slow cores.
//
// What programs do to each other is MemorySystem's, of which the policies know nothing. Of the 21
// programs the misses at 2 MiB are those that 004's speedup factors imply, and those of art are its
// table; what no paper says of them is drawn, so that a lab stands for one of many possible boards
// and program sets.
#pragma once

#include "model/contention.h"
#include "sim/memory.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace coord {

class ContentionLab {
public:
  explicit ContentionLab(std::uint64_t seed);
  ContentionLab(const ContentionLab &) = delete;

  struct Errors {
    double mean = 0, most = 0; // of the slowdown, percentage points
    double of_time = 0;        // mean relative error of the execution time, percent
  };
  // Predicts the slowdown of a target on class C in WORKLOADS random workloads of five targets.
  Errors errors(int c, int workloads);

  // Draws workloads of ten targets.
  using Workload = std::vector<int>;
  std::vector<Workload> draw_workloads(int count);

  // Of a workload, seconds. The paper's "total execution times for scheduling a list" are sums of
  // times on a core.
  struct Times {
    double execution = 0;  // that its programs ran
    double turnaround = 0; // from the start of the workload to their ends
    double makespan = 0;   // to the last end
  };
  // How POLICY runs each of WORKLOADS one after another, RUNS times; by workload and run. TRUTH: a
  // policy "contention" that knows true slowdowns in place of predicted ones.
  std::vector<std::vector<Times>> times(const std::vector<Workload> &workloads, int runs,
                                        const std::string &policy, const Parameters &parameters,
                                        bool truth = false);

private:
  struct Target {
    std::string name;
    MemoryUse use;
    std::vector<double> alone_ns; // per 4096 instructions, by class
    std::vector<Pressure> rates;  // measured, by class
    double seconds = 0;           // alone on a fast core
    ContentionProfile profile;
  };
  struct Placed {
    const Target *target;
    int core_class;
  };

  double uniform(double least, double most) {
    return std::uniform_real_distribution(least, most)(random_);
  }
  // A time as measured: up to 3 % off.
  double measured(double value) { return value * uniform(0.97, 1.03); }
  MemoryUse draw_use(double misses_at_2mib);
  void run_alone(Target &target);
  std::vector<Placed> mix(const Target &target, int c, const std::vector<Target> &others);
  Corun corun(const std::vector<Placed> &mix);
  void train();

  Machine machine_;
  std::mt19937_64 random_;
  MemorySystem system_;
  std::vector<Target> targets_, training_;
  std::unique_ptr<MemoryDilation> dilation_; // of the targets
};

} // namespace coord
