// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the options of `amp-emu cpufreq`, caps frequencies, reports and runs the command.
#include "amp-emu/cmd-cpufreq.h"

#include "amp-emu/cpufreq.h"
#include "amp-emu/disturbance.h"
#include "amp-emu/lock.h"
#include "common/child.h"

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

namespace amp {

namespace {

constexpr const char *real_sysfs = "/sys";

struct Options {
  std::vector<std::string> small;
  std::vector<double> khz, percents, factors;
  bool bind = false;
  bool quiet = false;
  int repeat = 0;
  bool verbose = false;
  bool restore = false;
  std::string json;
  std::string sysfs = real_sysfs;
  std::string state;

  std::string state_file() const { return state.empty() ? default_state_file() : state; }
};

// A unit of caps, and the values that the command line gives in it.
struct Amount {
  const char *option;
  CapUnit unit;
  double least, most;
  const std::vector<double> &values;
};

Amount amount_of(const Options &options) {
  const Amount all[] = {{"--khz", CapUnit::khz, 1, 1e9, options.khz},
                        {"--percent", CapUnit::percent, 0.1, 100, options.percents},
                        {"--sf", CapUnit::factor, 1, 1000, options.factors}};
  const Amount *used = nullptr;
  for (const Amount &amount : all) {
    if (amount.values.empty())
      continue;
    if (used)
      throw Failure(std::string("cpufreq: ") + used->option + " and " + amount.option +
                    ": use one of them for all groups; nothing was run");
    used = &amount;
  }
  if (options.small.empty() || !used)
    throw Failure("cpufreq: --small and one of --khz, --percent and --sf are required, see amp-emu "
                  "cpufreq --help; nothing was run");
  for (const double value : used->values)
    if (!(value >= used->least && value <= used->most)) {
      std::ostringstream message;
      message << "cpufreq: " << used->option << " " << value << " is not from " << used->least
              << " to " << used->most << "; nothing was run";
      throw Failure(message.str());
    }
  return *used;
}

// The CPUs of the machine described by SYSFS that the command can use.
CpuList usable_cpus(const std::string &sysfs) {
  const CpuList online = online_cpus_in(sysfs);
  if (sysfs != real_sysfs)
    return online;
  CpuList usable;
  for (const int cpu : allowed_cpus())
    if (has(online, cpu))
      usable.push_back(cpu);
  return usable;
}

void print_caps(const std::string &sysfs, const std::vector<Cap> &caps) {
  for (const Cap &cap : caps) {
    const Policy &policy = cap.policy;
    const Kilohertz now = read_policy(sysfs, policy.cpus.front()).maximum;
    std::cerr << "amp-emu: cpufreq: CPUs " << format_cpu_list(policy.cpus) << " asked " << cap.asked
              << " kHz, capped at " << now << " (before " << policy.maximum << ", highest "
              << policy.highest << ")\n";
    if (cap.khz > cap.asked)
      std::cerr << "amp-emu: cpufreq: warning: CPUs " << format_cpu_list(policy.cpus)
                << " cannot go below " << policy.lowest << " kHz, so that is their cap\n";
    else if (cap.khz < cap.asked)
      std::cerr << "amp-emu: cpufreq: warning: CPUs " << format_cpu_list(policy.cpus)
                << " were capped at " << policy.maximum << " kHz already, and stay so\n";
    else if (now != cap.khz)
      std::cerr << "amp-emu: cpufreq: warning: the kernel made " << now << " kHz of " << cap.khz
                << "\n";
  }
}

void write_json(const Options &options, const std::vector<Cap> &caps,
                const std::vector<CpuSpeed> &machine) {
  nlohmann::ordered_json report = {{"mode", "cpufreq"},
                                   {"topology", topology_of(machine)},
                                   {"cpus", nlohmann::ordered_json::array()}};
  for (const Cap &cap : caps)
    for (const int cpu : cap.policy.cpus)
      report["cpus"].push_back({{"cpu", cpu},
                                {"policy", cap.policy.directory},
                                {"asked_khz", cap.asked},
                                {"khz", read_policy(options.sysfs, cpu).maximum},
                                {"before_khz", cap.policy.maximum},
                                {"highest_khz", cap.policy.highest}});
  std::ofstream file(options.json);
  if (!(file << report.dump(2) << "\n" << std::flush))
    throw Failure("cpufreq: --json '" + options.json + "' cannot be written; nothing was run");
}

int run(const Options &options, const Command &command) {
  const Amount amount = amount_of(options);
  const std::vector<Group> groups = read_groups("cpufreq", options.small, amount.option,
                                                amount.values, online_cpus_in(options.sysfs));
  const std::string program = find_program(command.front());
  const std::string state = options.state_file();

  const MachineLock lock;
  const std::vector<Cap> caps = read_caps(options.sysfs, groups, amount.unit);
  const HeldSignals signals; // outlives the settings: no signal may prevent that they are restored
  SavedSettings settings(settings_of(caps), state);
  const std::vector<CpuSpeed> machine = speeds_in(options.sysfs, usable_cpus(options.sysfs));
  if (!options.json.empty())
    write_json(options, caps, machine);
  if (!options.quiet)
    print_caps(options.sysfs, caps);
  for (const auto &variable : set_unset(variables_for(machine, options.bind)))
    if (options.verbose)
      std::cerr << "amp-emu: cpufreq: " << variable.first << "=" << variable.second << "\n";
  const auto run_once = [&] { return run_child(program, command, signals); };
  const auto nothing_else = [] { return std::vector<std::string>(); };
  return run_watched("cpufreq", Watch(allowed_cpus()), options.repeat, options.quiet, run_once,
                     nothing_else)
      .status;
}

void restore(const Options &options, const CLI::App &app) {
  if (!app.remaining().empty())
    throw Failure("cpufreq: --restore takes no command; nothing was restored");
  const MachineLock lock; // a running amp-emu must restore its changes itself
  restore_from_state(options.state_file());
}

} // namespace

std::function<int(const Command &)> add_cpufreq(CLI::App &app) {
  CLI::App *const cpufreq = app.add_subcommand(
      "cpufreq", "Caps the frequency of chosen CPUs while CMD runs (scaling_max_freq), and puts "
                 "the former\n"
                 "cap back. Needs root, and a machine that lets frequencies be set.");
  const auto options = std::make_shared<Options>();
  cpufreq
      ->add_option("--small", options->small,
                   "The CPUs to slow, such as 1 or 2-3,5; may be repeated, each with a cap")
      ->type_name("CPULIST")
      ->allow_extra_args(false);
  const auto add_amount = [&](const char *name, std::vector<double> &values, const char *type,
                              const char *help) {
    cpufreq->add_option(name, values, help)->type_name(type)->allow_extra_args(false);
  };
  add_amount("--khz", options->khz, "KHZ",
             "Their cap in kHz; one for all, or one for each --small in their order");
  add_amount("--percent", options->percents, "PERCENT",
             "The same in percent of a CPU's highest frequency (cpuinfo_max_freq)");
  add_amount("--sf", options->factors, "FACTOR",
             "The same as the number by which that highest is divided, 1 to 1000");
  cpufreq
      ->add_option("--repeat", options->repeat,
                   "Run CMD up to N times more, 0 to 100, while the run was disturbed: by the host "
                   "(stolen time), by other programs, or by a CPU that changed its speed. "
                   "Disturbed runs are reported in any case")
      ->type_name("N")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  cpufreq->add_flag("--bind", options->bind,
                    "Bind the threads of CMD to a CPU each, the first ones to the fastest "
                    "(OMP_PLACES, OMP_PROC_BIND), unless the environment binds them already");
  cpufreq->add_option("--json", options->json, "Write what was set to a file")->type_name("FILE");
  cpufreq->add_option("--sysfs", options->sysfs, "A directory to use as /sys, for tests")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory)
      ->capture_default_str();
  cpufreq
      ->add_option("--state", options->state,
                   "The file that keeps what is to be put back while CMD runs; "
                   "/run/amp-emu-cpufreq.json if not given, and in XDG_RUNTIME_DIR if not root")
      ->type_name("FILE");
  cpufreq->add_flag("--restore", options->restore,
                    "Put back what an amp-emu cpufreq left that was killed; runs no command");
  CLI::Option *const quiet =
      cpufreq->add_flag("-q,--quiet", options->quiet, "Do not print the caps");
  cpufreq->add_flag("-v,--verbose", options->verbose, "Print what is set in the environment")
      ->excludes(quiet);
  cpufreq->footer(std::string("CMD gets GOMP_AMP_TOPOLOGY, which describes the emulated machine to "
                              "libgomp-amp, unless it is set.\n\n") +
                  exit_status_help +
                  "\n\nExample: amp-emu cpufreq --small 4-7 --sf 2 -- amp-run ./app");
  cpufreq->parse_complete_callback([options, cpufreq] {
    if (!options->restore)
      return;
    restore(*options, *cpufreq);
    throw CLI::Success();
  });
  return [options](const Command &command) { return run(*options, command); };
}

} // namespace amp
