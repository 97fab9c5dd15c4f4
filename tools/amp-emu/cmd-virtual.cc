// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the options of `amp-emu virtual`, runs the command on its library, and reports.
#include "amp-emu/cmd-virtual.h"

#include "amp-emu/conduct.h"
#include "amp-emu/demand.h"
#include "amp-emu/loop-factors.h"
#include "amp-emu/machine.h"
#include "amp-emu/memory-file.h"
#include "amp-emu/number.h"
#include "amp-emu/virtual-report.h"
#include "amp-run/program.h"
#include "common/child.h"
#include "common/cpulist.h"
#include "common/disturbance.h"
#include "common/pin.h"
#include "common/preload.h"

extern "C" {
#include "virtual/bandwidth-share.h"
}

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <sched.h>
#include <sstream>
#include <sys/personality.h>

namespace amp {

namespace {

constexpr const char *library_name = "virtual/libgomp.so.1";
constexpr int removal_ns = 100; // a cache line that moves between cores (docs/design/lab.md)
constexpr int max_removal_ns = 1'000'000, max_wake_ns = 1'000'000, max_switch_ns = 1'000'000,
              max_patience_ms = 60'000, max_period_ms = 60'000;

struct Options {
  std::string machine;
  std::string work;
  int removal_ns = amp::removal_ns;
  std::optional<int> wake_ns;
  std::optional<int> switch_ns;
  std::optional<int> patience_ms;
  std::string sf_file;
  std::string bandwidth;
  Manager manager;
  std::string demand;
  std::string power = default_chip();
  std::optional<int> cpu;
  bool no_pin = false;
  bool force = false;
  bool quiet = false;
  int repeat = 0;
  bool verbose = false;
  std::string json;
};

Machine read_machine(const std::string &text) {
  try {
    return parse_machine(text);
  } catch (const std::invalid_argument &error) {
    throw Failure(std::string("virtual: MACHINE: ") + error.what() + "; nothing was run");
  }
}

// The CPU that CMD is bound to; none with --no-pin.
std::optional<int> cpu_for(const Options &options, const CpuList &allowed) {
  if (options.no_pin)
    return std::nullopt;
  const int cpu = options.cpu.value_or(sched_getcpu());
  if (std::binary_search(allowed.begin(), allowed.end(), cpu))
    return cpu;
  if (options.cpu)
    throw Failure("virtual: --cpu: CPU " + std::to_string(cpu) +
                  " is not one this process may use (" + format_cpu_list(allowed) +
                  " are); nothing was run");
  return allowed.front();
}

// The content of FILE, the value of OPTION.
std::string read_file(const char *option, const std::string &path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (!(text << file.rdbuf()))
    throw Failure(std::string("virtual: ") + option + " '" + path + "' cannot be read" +
                  (file ? " or is empty" : std::string(" (") + std::strerror(errno) + ")") +
                  "; nothing was run");
  return text.str();
}

// The text that the library reads for LINES of the file PATH.
std::string resolve(const Options &options, const std::string &path,
                    const std::vector<LoopFactors> &lines, const std::string &program,
                    const std::string &library) {
  const ResolvedFactors resolved = resolve_loop_factors(lines, program, library);
  if (!resolved.warning.empty() && !options.quiet)
    std::cerr << "amp-emu: virtual: " << path << ":" << resolved.warning
              << "; this and such lines are left out\n";
  return resolved.text;
}

// The text that the library reads for --sf-file, if the option is given.
std::optional<std::string> read_factors(const Options &options, const Machine &machine,
                                        const std::string &program, const std::string &library) {
  if (options.sf_file.empty())
    return std::nullopt;
  const std::string text = read_file("--sf-file", options.sf_file);
  try {
    return resolve(options, options.sf_file, parse_loop_factors(text, machine), program, library);
  } catch (const std::invalid_argument &error) {
    throw Failure("virtual: " + options.sf_file + ":" + error.what() + "; nothing was run");
  }
}

ChipPower read_power(const Options &options) {
  try {
    if (options.power.find_first_of("./") == options.power.npos)
      return find_chip(options.power);
    return parse_chip(options.power, read_file("--power", options.power));
  } catch (const std::invalid_argument &error) {
    throw Failure("virtual: --power: " + std::string(error.what()) + "; nothing was run");
  }
}

void check_bandwidth(const Options &options, const Machine &machine) {
  gomp_virtual_caps caps;
  if (options.bandwidth.empty()) {
    if (!options.demand.empty())
      throw Failure("virtual: --demand without --bandwidth changes nothing; nothing was run");
    return;
  }
  if (const char *const error = gomp_virtual_read_caps(
          options.bandwidth.c_str(), static_cast<unsigned>(machine.size()), &caps))
    throw Failure("virtual: --bandwidth '" + options.bandwidth + "': " + error +
                  "; expected GB/s for all cores or CLASS:GB/s, joined by ',', 0.001 to 1000000; "
                  "nothing was run");
  if (options.demand.empty())
    throw Failure("virtual: --bandwidth without --demand changes nothing; nothing was run");
}

// What the library is told of demands.
struct LibraryDemands {
  std::optional<std::string> mbs;   // of all code
  std::optional<std::string> loops; // the text that it reads for loops
};

LibraryDemands read_demands(const Options &options, const std::string &program,
                            const std::string &library) {
  const auto mbs = [](double gbs) { return std::to_string(std::lround(gbs * 1000)); };
  if (options.demand.empty())
    return {};
  const std::string text = read_file("--demand", options.demand);
  try {
    const Demands demands = parse_demands(text);
    return {mbs(demands.program),
            resolve(options, options.demand, demands.loops, program, library)};
  } catch (const std::invalid_argument &error) {
    throw Failure("virtual: " + options.demand + ":" + error.what() + "; nothing was run");
  }
}

// The value for the library of an option for which the library has a default.
std::optional<std::string> text_of(const std::optional<int> &number) {
  return number ? std::optional(std::to_string(*number)) : std::nullopt;
}

// Sets the library's variable that ends in NAME. Without VALUE, removes one from the environment.
void set_variable(const Options &options, const char *name,
                  const std::optional<std::string> &value) {
  const std::string variable = std::string("GOMP_AMP_VIRTUAL") + name;
  if (!value)
    unsetenv(variable.c_str());
  else if (setenv(variable.c_str(), value->c_str(), 1) != 0)
    throw Failure(variable + ": " + std::strerror(errno));
  else if (options.verbose)
    std::cerr << "amp-emu: virtual: " << variable << "=" << *value << "\n";
}

// The file of --json. It is opened before CMD runs, so that CMD's result is not lost afterwards.
class JsonFile {
public:
  explicit JsonFile(const std::string &path) : path_(path) {
    if (path_.empty())
      return;
    file_.open(path_);
    if (!file_)
      throw Failure("virtual: --json '" + path_ + "' cannot be written (" + std::strerror(errno) +
                    "); nothing was run");
  }

  void write(const nlohmann::ordered_json &report) {
    if (!path_.empty() && !(file_ << report.dump(2) << "\n" << std::flush))
      std::cerr << "amp-emu: virtual: --json '" << path_ << "' could not be written; the result "
                << "is lost\n";
  }

private:
  std::string path_;
  std::ofstream file_;
};

void print_reports(const VirtualReports &reports) {
  for (const auto &process : reports.processes)
    std::cerr << "amp-emu: virtual: " << describe_process(process);
  if (reports.processes.empty() && reports.unreadable == 0)
    std::cerr
        << "amp-emu: virtual: nothing to report: no parallel region ran on the virtual "
           "machine. CMD has none that it came to, uses another OpenMP runtime or another "
           "libgomp, did not end by exit, or is amp-run --tune, which reads the times itself\n";
}

// When the last program of CONDUCTED ended, in seconds.
double last_end(const nlohmann::ordered_json &conducted) {
  double last = 0;
  for (const auto &each : conducted.at("programs"))
    last = std::max(last, each.at("end_s").get<double>());
  return last;
}

// The programs of WORDS among which --policy shares the cores; none without it.
std::vector<Conducted> find_conducted(const Options &options, const Machine &machine,
                                      const Command &words) {
  if (options.manager.policy.empty())
    return {};
  check_manager(options.manager, machine);
  std::vector<Conducted> programs = split_programs(words);
  for (const Conducted &each : programs)
    find_program(each.command.front());
  return programs;
}

// Preloads the virtual library, whose file is returned, for PROGRAM.
std::string preload_library(const Options &options, const std::string &program) {
  const std::string library = own_library(library_name);
  const std::string preloaded = preload(library);
  if (options.verbose)
    std::cerr << "amp-emu: virtual: LD_PRELOAD=" << preloaded << "\n";
  if (!options.force)
    if (const auto obstacle = find_obstacle(program, library))
      throw Failure("virtual: '" + program + "' " + *obstacle +
                    "; nothing was run (--force runs it all the same)");
  return library;
}

// A variable of the library that names a file, with the text of that file.
class FileVariable {
public:
  // Removes the variable that ends in NAME if there is no TEXT.
  FileVariable(const Options &options, const char *name, const std::optional<std::string> &text)
      : file_("amp-emu-input") {
    file_.append(text.value_or(""));
    set_variable(options, name, text ? std::optional(file_.path()) : std::nullopt);
  }

private:
  MemoryFile file_;
};

void set_numbers(const Options &options) {
  set_variable(options, "_WORK", options.work.empty() ? std::nullopt : std::optional(options.work));
  set_variable(options, "_REMOVAL_NS", std::to_string(options.removal_ns));
  set_variable(options, "_WAKE_NS", text_of(options.wake_ns));
  set_variable(options, "_SWITCH_NS", text_of(options.switch_ns));
  set_variable(options, "_PATIENCE_MS", text_of(options.patience_ms));
}

void bind_to(const std::optional<int> &cpu) {
  if (!cpu)
    return;
  if (const int error = pin_to_cpu(*cpu))
    throw Failure("virtual: cannot bind CMD to CPU " + std::to_string(*cpu) + " (" +
                  std::strerror(error) + "); nothing was run (--no-pin binds it to none)");
}

// CMD's addresses are the same in every run, so that tables by addresses take as long. Where that
// is not allowed, as in some containers, they hardly ever matter.
void fix_addresses() {
  const int persona = personality(0xffffffff);
  if (persona >= 0)
    personality(static_cast<unsigned long>(persona) | ADDR_NO_RANDOMIZE);
}

// What came of a run.
struct Outcome {
  VirtualReports reports;
  nlohmann::ordered_json conducted; // null without a policy
};

// Runs PROGRAMS, or COMMAND if there are none, and returns the exit status.
int run_once(const Options &options, const Machine &machine, const ChipPower &chip,
             const std::vector<Conducted> &programs, const Command &command, Outcome &outcome) {
  const MemoryFile report("amp-emu-report");
  set_variable(options, "_REPORT", report.path());
  int status = 0;
  if (programs.empty())
    status = run_child(find_program(command.front()), command);
  else {
    outcome.conducted = conduct(programs, options.manager, machine);
    for (const auto &each : outcome.conducted["programs"])
      if (status == 0)
        status = each["status"].get<int>();
  }
  outcome.reports = read_virtual_reports(report.content(), chip);
  return status;
}

// Whether no real clock had a part in OUTCOME.
bool is_counted(const Outcome &outcome) {
  const auto &processes = outcome.reports.processes;
  return !processes.empty() &&
         std::all_of(processes.begin(), processes.end(), [](const nlohmann::ordered_json &process) {
           return process.at("work") == "counted" && process.at("handovers") == 0;
         });
}

void print_outcome(const Outcome &outcome, bool quiet) {
  const auto seconds = [](const nlohmann::ordered_json &value) {
    return format_decimal(std::round(value.get<double>() * 1e4) / 1e4);
  };
  if (outcome.reports.unreadable > 0)
    std::cerr << "amp-emu: virtual: " << outcome.reports.unreadable
              << " of the library's reports cannot be read and are left out\n";
  if (quiet)
    return;
  if (!outcome.conducted.is_null())
    for (const auto &each : outcome.conducted["programs"])
      std::cerr << "amp-emu: virtual: " << each["name"].get<std::string>() << ": from "
                << seconds(each["at_s"]) << " to " << seconds(each["end_s"]) << " s\n";
  print_reports(outcome.reports);
}

int run(const Options &options, const Command &words) {
  const Machine machine = read_machine(options.machine);
  const ChipPower chip = read_power(options);
  check_bandwidth(options, machine);
  const std::vector<Conducted> programs = find_conducted(options, machine, words);
  const Command &command = programs.empty() ? words : programs.front().command;
  const CpuList allowed = allowed_cpus();
  const std::optional<int> cpu = cpu_for(options, allowed);
  const std::string program = find_program(command.front());
  const std::string library = preload_library(options, program);
  const auto factors = read_factors(options, machine, program, library);
  const LibraryDemands demands = read_demands(options, program, library);
  JsonFile json(options.json);

  set_variable(options, "", format_machine(machine));
  set_numbers(options);
  const FileVariable factor_file(options, "_SF", factors);
  const FileVariable demand_file(options, "_DEMAND", demands.loops);
  set_variable(options, "_DEMAND_MBS", demands.mbs);
  set_variable(options, "_BANDWIDTH",
               options.bandwidth.empty() ? std::nullopt : std::optional(options.bandwidth));
  bind_to(cpu);
  fix_addresses();

  Outcome outcome;
  const auto forget_if_counted = [&](std::vector<std::string> &disturbed) {
    if (is_counted(outcome))
      disturbed.clear();
  };
  const WatchedRun run = run_watched(
      "virtual", cpu ? Watch({*cpu}, true) : Watch(allowed), options.repeat, options.quiet,
      [&] { return run_once(options, machine, chip, programs, command, outcome); },
      forget_if_counted);
  nlohmann::ordered_json result = {{"mode", "virtual"},
                                   {"machine", format_machine(machine)},
                                   {"removal_ns", options.removal_ns},
                                   {"status", run.status},
                                   {"runs", run.runs},
                                   {"disturbed", run.disturbed},
                                   {"processes", outcome.reports.processes}};
  if (!programs.empty()) {
    result["policy"] = options.manager.policy;
    result.update(outcome.conducted);
    // One that did not report has used energy too.
    if (outcome.reports.processes.size() >= programs.size())
      result["energy"] =
          energy_of_all(outcome.reports.processes, last_end(outcome.conducted), chip);
  }
  json.write(result);
  print_outcome(outcome, options.quiet);
  return run.status;
}

// An option whose value is a number of UNIT, LEAST to MOST.
template <typename T>
CLI::Option *add_number(CLI::App &sub, const char *name, T &value, const char *unit, int least,
                        int most, const char *text) {
  return sub.add_option(name, value, text)->type_name(unit)->check(CLI::Range(least, most));
}

void add_costs(CLI::App &sub, Options &options) {
  sub.add_option("--work", options.work,
                 "What a thread is charged for. counted: the work that a program counts which "
                 "amp-gcc --amp-count compiled; the same digits in every run, on any machine. "
                 "timed: processor time. Unless given: counted, if the program counts")
      ->type_name("WHAT")
      ->check(CLI::IsMember({"counted", "timed"}));
  add_number(sub, "--removal-ns", options.removal_ns, "NS", 0, max_removal_ns,
             "Nanoseconds for which one removal of iterations keeps the others from a loop's "
             "pool, 0 to 1000000")
      ->capture_default_str();
  add_number(sub, "--wake-ns", options.wake_ns, "NS", 0, max_wake_ns,
             "Nanoseconds from a wake-up until a thread that has gone to sleep goes on, 0 to "
             "1000000; 5000 unless given. A thread spins first, as OMP_WAIT_POLICY says");
  add_number(sub, "--switch-ns", options.switch_ns, "NS", 0, max_switch_ns,
             "Nanoseconds for which a core of the fastest class is busy when it goes on with "
             "another thread of a folded team (GOMP_AMP_FOLD), beyond the library's code, 0 to "
             "1000000; 0 unless given. Slower cores take longer");
  add_number(
      sub, "--patience-ms", options.patience_ms, "MS", 1, max_patience_ms,
      "Real milliseconds for which a thread may compute while others of its "
      "core wait, before they go on beside it, 1 to 60000; 100 unless given. Of counted work: "
      "milliseconds in code that does not count, 2000 at least");
}

// What the programs are like; several if there is a policy.
void add_programs(CLI::App &sub, Options &options) {
  sub.add_option("--sf-file", options.sf_file,
                 "Loops with factors of their own, a line each, as GOMP_AID_SF_SAVE writes them: "
                 "MODULE+0xOFFSET class:SF,...; class 0 is the slowest. "
                 "program class:SF,... is for all other code")
      ->type_name("FILE");
  CLI::Option *const policy = sub.add_option(
      "--policy", options.manager.policy,
      "How several programs share the cores, as ampd does it: a-greedy, a-exact, share, equi "
      "or mts. CMD is then the programs, parted by ':', each with @SECONDS before it if it starts "
      "later");
  add_number(sub, "--period-ms", options.manager.period_ms, "MS", 1, max_period_ms,
             "Milliseconds between two decisions of the policy, 1 to 60000; its own, 200, "
             "unless given. Short programs that stand for long ones want less")
      ->needs(policy);
  sub.add_option("--table", options.manager.table,
                 "How fast programs are on each number of cores of each class, as in "
                 "coordinator/profiles/lace.tsv; of others the policy learns while they run")
      ->type_name("FILE")
      ->needs(policy);
  sub.add_option("--bandwidth", options.bandwidth,
                 "Caps on the memory's bandwidth: GB/s for all cores or CLASS:GB/s, joined by "
                 "',', such as 40,0:10; class 0 is the slowest. Needs a demand")
      ->type_name("CAPS")
      ->excludes(policy);
  sub.add_option("--demand", options.demand,
                 "The bandwidth that code would use on a core of speed 1 that is alone, a line "
                 "each: program GB/s or MODULE+0xOFFSET GB/s")
      ->type_name("FILE");
}

// How CMD runs on this machine, and what is reported.
void add_run_options(CLI::App &sub, Options &options) {
  sub.add_option("--power", options.power,
                 "The chip whose power the report's energy is modelled by: a name, or a file with "
                 "a '.' or '/' in its name that has a line each for the fastest and the slowest "
                 "cores")
      ->type_name("CHIP")
      ->capture_default_str();
  CLI::Option *const cpu = add_number(sub, "--cpu", options.cpu, "CPU", 0, cpu_limit - 1,
                                      "The real CPU to run CMD on; the present one unless given. "
                                      "If this machine's CPUs are unequal, name a fast one");
  sub.add_flag("--no-pin", options.no_pin, "Do not bind CMD to one real CPU")->excludes(cpu);
  add_number(sub, "--repeat", options.repeat, "N", 0, 100,
             "Run CMD up to N times more, 0 to 100, while the run was disturbed: by the host "
             "(stolen time), by other programs, or by a CPU that changed its speed. "
             "Disturbed runs are reported in any case")
      ->capture_default_str();
  sub.add_option("--json", options.json, "Write the result to a file as well")->type_name("FILE");
  sub.add_flag("--force", options.force,
               "Run CMD without looking whether it would pick up the library");
  CLI::Option *const quiet = sub.add_flag("-q,--quiet", options.quiet, "Do not print the result");
  sub.add_flag("-v,--verbose", options.verbose, "Print what is set in the environment")
      ->excludes(quiet);
}

} // namespace

std::function<int(const Command &)> add_virtual(CLI::App &app) {
  CLI::App &sub = *app.add_subcommand(
      "virtual", "Runs CMD as if on MACHINE, in virtual time: one thread computes at a time, and "
                 "is charged the\n"
                 "work that it does times the slowness of its virtual core. Prints the time that "
                 "the\n"
                 "run would have taken there and how busy each class of cores was.");
  const auto options = std::make_shared<Options>();
  sub.add_option("MACHINE", options->machine,
                 "The cores: COUNTxSPEED of each class joined by '+', the fastest first, such as "
                 "4x3.0+4x1.0; 1 to 1024 cores")
      ->required();
  add_costs(sub, *options);
  add_programs(sub, *options);
  add_run_options(sub, *options);
  sub.footer(std::string("Threads bound by nothing else get cores in ascending order of their "
                         "numbers, the first ones the\nfastest; GOMP_AMP_AFFINITY=SB reverses "
                         "that.\n\n") +
             exit_status_help +
             "\n\nExample: amp-emu virtual 4x3.0+4x1.0 --json=result.json -- "
             "./app input.dat");
  return [options](const Command &command) { return run(*options, command); };
}

} // namespace amp
