// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the options of `amp-emu steal`, calibrates, reports and runs the command.
#include "amp-emu/cmd-steal.h"

#include "amp-emu/calibrate.h"
#include "amp-emu/environment.h"
#include "amp-emu/groups.h"
#include "amp-emu/steal.h"
#include "common/child.h"
#include "common/cpulist.h"
#include "common/disturbance.h"
#include "common/machine-lock.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

namespace amp {

namespace {

constexpr double max_factor = 20;
// The part of the real-time threads' share that the thieves leave unused.
constexpr double share_margin = 0.005;

struct Options {
  std::vector<std::string> small;
  std::vector<double> factors;
  int period_us = 150;
  int attempts = 4;
  int repeat = 0;
  bool bind = false;
  bool quiet = false;
  bool verbose = false;
  std::string json;
};

// The CPUs that this process may use and that keep their speed because they are in no group.
CpuList remaining_cpus(const std::vector<Group> &groups) {
  const CpuList allowed = allowed_cpus();
  CpuList rest = allowed;
  for (const Group &group : groups)
    for (const int cpu : group.cpus) {
      if (!has(allowed, cpu))
        throw Failure("steal: --small: CPU " + std::to_string(cpu) +
                      " is not one this process may use (" + format_cpu_list(allowed) +
                      " are); nothing was run");
      rest.erase(std::lower_bound(rest.begin(), rest.end(), cpu));
    }
  return rest;
}

void check_factors(const std::vector<Group> &groups, double max_duty) {
  const double limit = std::min(max_factor, 1 / (1 - max_duty));
  for (const Group &group : groups)
    if (!(group.value >= 1 && group.value <= limit))
      throw Failure("steal: --sf " + fixed(group.value) + " is not from 1 to " + fixed(limit) +
                    " (what the kernel grants real-time threads, /proc/sys/kernel/"
                    "sched_rt_runtime_us, permits no more than that); nothing was run");
}

// The means over the CPUs of a group.
struct GroupResult {
  double reached = 0, duty = 0, period_us = 0;
};

class Steal {
public:
  Steal(const Options &options, const std::vector<Group> &groups, const CpuList &reference,
        double max_duty)
      : options_(options), groups_(groups), reference_(reference), slowed_(slow(groups)),
        thieves_(cpus_of(slowed_), options.period_us * 1000),
        attempts_(calibrate(thieves_, slowed_, reference_, max_duty, options.attempts)) {}

  // The emulated machine: each group has the factor that it reached.
  std::vector<CpuSpeed> machine() const {
    std::vector<CpuSpeed> cpus;
    for (const int cpu : reference_)
      cpus.push_back({cpu, 1});
    for (const Group &group : groups_)
      for (const int cpu : group.cpus)
        cpus.push_back({cpu, result_of(group).reached});
    return reference_.empty() ? relative_to_fastest(cpus) : cpus;
  }

  void print_calibration() const {
    for (const Group &group : groups_) {
      const GroupResult result = result_of(group);
      std::cerr << head(group) << " asked " << fixed(group.value) << ", reached "
                << fixed(result.reached) << " (period " << std::lround(result.period_us)
                << " us, duty " << fixed(result.duty) << ", measured over " << window_count
                << " windows of " << window_ms << " ms against "
                << (reference_.empty() ? "the same without theft"
                                       : "CPUs " + format_cpu_list(reference_))
                << ")\n";
    }
  }

  void warn_if_off() const {
    for (const Slowed &cpu : slowed_)
      if (!is_near(cpu, tolerance))
        std::cerr << "amp-emu: steal: warning: CPU " << cpu.cpu << " is " << fixed(cpu.reached)
                  << " times slower, not " << fixed(cpu.asked)
                  << ": its own speed, or other load, keeps it from that; the command runs, "
                     "described by the measured figure\n";
  }

  // Repeats after a run the measurement before the first run. Returns a phrase for each CPU whose
  // speed differs by more than `tolerance`.
  std::vector<std::string> measure_again() {
    const std::vector<Slowed> before = slowed_;
    measure(thieves_, slowed_, reference_, window_count);
    std::vector<std::string> found;
    for (std::size_t i = 0; i < slowed_.size(); ++i)
      if (std::abs(slowed_[i].reached / before[i].reached - 1) > tolerance)
        found.push_back("CPU " + std::to_string(slowed_[i].cpu) + " was " +
                        fixed(slowed_[i].reached) + " times slower afterwards, not " +
                        fixed(before[i].reached));
    if (options_.verbose)
      for (const Group &group : groups_)
        std::cerr << head(group) << " reached " << fixed(result_of(group).reached)
                  << " after the command\n";
    slowed_ = before;
    return found;
  }

  // RUN is the command's run, if it has been run.
  void write_json(const WatchedRun *run = nullptr) const {
    nlohmann::ordered_json report = {{"mode", "steal"},
                                     {"period_us", options_.period_us},
                                     {"attempts", attempts_},
                                     {"windows", window_count},
                                     {"window_ms", window_ms},
                                     {"reference_cpus", reference_},
                                     {"topology", topology_of(machine())},
                                     {"cpus", nlohmann::ordered_json::array()}};
    for (std::size_t i = 0; i < slowed_.size(); ++i)
      report["cpus"].push_back({{"cpu", slowed_[i].cpu},
                                {"asked", slowed_[i].asked},
                                {"reached", slowed_[i].reached},
                                {"period_us", period_us(i)},
                                {"duty", thieves_.cycle(i).duty}});
    if (run) {
      report["runs"] = run->runs;
      report["disturbed"] = run->disturbed;
    }
    std::ofstream file(options_.json);
    if (!(file << report.dump(2) << "\n" << std::flush))
      throw Failure("steal: --json '" + options_.json + "' cannot be written" +
                    (run ? "" : "; nothing was run"));
  }

private:
  static std::vector<Slowed> slow(const std::vector<Group> &groups) {
    std::vector<Slowed> result;
    for (const Group &group : groups)
      for (const int cpu : group.cpus)
        result.push_back({cpu, group.value});
    return result;
  }

  static CpuList cpus_of(const std::vector<Slowed> &slowed) {
    CpuList result;
    for (const Slowed &cpu : slowed)
      result.push_back(cpu.cpu);
    return result;
  }

  static std::string head(const Group &group) {
    return "amp-emu: steal: CPUs " + format_cpu_list(group.cpus);
  }

  GroupResult result_of(const Group &group) const {
    GroupResult sum;
    for (std::size_t i = 0; i < slowed_.size(); ++i)
      if (has(group.cpus, slowed_[i].cpu)) {
        sum.reached += slowed_[i].reached;
        sum.duty += thieves_.cycle(i).duty;
        sum.period_us += period_us(i);
      }
    const double count = static_cast<double>(group.cpus.size());
    return {sum.reached / count, sum.duty / count, sum.period_us / count};
  }

  double period_us(std::size_t index) const {
    return static_cast<double>(thieves_.cycle(index).period) / 1000;
  }

  const Options &options_;
  const std::vector<Group> &groups_;
  const CpuList &reference_;
  std::vector<Slowed> slowed_;
  Thieves thieves_;
  int attempts_; // of the calibration
};

int run(const Options &options, const Command &command) {
  const double max_duty = realtime_share() - share_margin;
  const std::vector<Group> groups = read_groups(options.small, options.factors, online_cpus());
  const CpuList reference = remaining_cpus(groups);
  check_factors(groups, max_duty);
  const std::string program = find_program(command.front());

  const auto lock = MachineLock::take("libgomp-amp/amp-emu");
  if (!lock)
    throw Failure("another amp-emu is at work on this machine, and the two would distort each "
                  "other; wait for its end; nothing was run");
  Steal steal(options, groups, reference, max_duty);
  if (!options.json.empty())
    steal.write_json();
  if (!options.quiet) {
    steal.print_calibration();
    steal.warn_if_off();
  }
  for (const auto &variable : set_unset(variables_for(steal.machine(), options.bind)))
    if (options.verbose)
      std::cerr << "amp-emu: steal: " << variable.first << "=" << variable.second << "\n";
  const WatchedRun run = run_watched(
      "steal", Watch(allowed_cpus()), options.repeat, options.quiet,
      [&] { return run_child(program, command); },
      [&](std::vector<std::string> &disturbed) {
        if (!options.quiet || options.repeat > 0 || !options.json.empty())
          for (const std::string &phrase : steal.measure_again())
            disturbed.push_back(phrase);
      });
  if (!options.json.empty())
    steal.write_json(&run);
  return run.status;
}

void add_options(CLI::App &steal, Options &options) {
  steal
      .add_option("--small", options.small,
                  "The CPUs to slow, such as 1 or 2-3,5; may be repeated, each with an --sf")
      ->type_name("CPULIST")
      ->required()
      ->allow_extra_args(false);
  steal
      .add_option("--sf", options.factors,
                  "How many times slower they are to be than the others (than without theft, if "
                  "there are no others), 1 to about 18; one for all, or one for each --small in "
                  "their order")
      ->type_name("FACTOR")
      ->required()
      ->allow_extra_args(false);
  steal
      .add_option("--period-us", options.period_us,
                  "Microseconds from one theft to the next, 100 to 1000: long ones distort what "
                  "is timed over less than several periods; lengthened where waking up alone "
                  "would steal more than is asked for")
      ->type_name("US")
      ->check(CLI::Range(100, 1000))
      ->capture_default_str();
  steal
      .add_option("--attempts", options.attempts,
                  "How often to try, 1 to 100, to come within 2 % of the factors, of 1 to 4 "
                  "seconds each; the nearest one stands")
      ->type_name("N")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  steal
      .add_option("--repeat", options.repeat,
                  "Run CMD up to N times more, 0 to 100, while the run was disturbed: by the host "
                  "(stolen time), by other programs, or by a CPU that changed its speed. "
                  "Disturbed runs are reported in any case")
      ->type_name("N")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  steal.add_flag("--bind", options.bind,
                 "Bind the threads of CMD to a CPU each, the first ones to the CPUs not slowed "
                 "(OMP_PLACES, OMP_PROC_BIND), unless the environment binds them already");
  steal.add_option("--json", options.json, "Write the calibration to a file")->type_name("FILE");
  CLI::Option *const quiet =
      steal.add_flag("-q,--quiet", options.quiet, "Do not print the calibration");
  steal
      .add_flag("-v,--verbose", options.verbose,
                "Print what is set in the environment, and a measurement after CMD as well")
      ->excludes(quiet);
}

} // namespace

RunCommand add_steal(CLI::App &app) {
  CLI::App *const steal = app.add_subcommand(
      "steal", "Slows chosen CPUs in real time while CMD runs: a real-time thread on each takes "
               "part of its\n"
               "time away. How slow they really are is measured first, and reported.\n"
               "Needs CAP_SYS_NICE (root) or a limit on real-time priorities of 2 (ulimit -r).");
  const auto options = std::make_shared<Options>();
  add_options(*steal, *options);
  steal->footer(
      std::string(
          "CMD gets GOMP_AMP_TOPOLOGY, which describes the emulated machine to libgomp-amp, "
          "unless it is set.\n\n") +
      exit_status_help + "\n\nExample: amp-emu steal --small 1 --sf 2 -- amp-run ./app");
  return [options](const Command &command) { return run(*options, command); };
}

} // namespace amp
