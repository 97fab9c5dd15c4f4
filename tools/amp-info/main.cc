// SPDX-License-Identifier: GPL-3.0-or-later
// amp-info: prints what libgomp-amp has found about the machine and what it would do there.
#include "amp-info/runtime.h"
#include "common/command.h"
#include "common/preload.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <unistd.h>
#include <vector>

namespace {

struct Options {
  bool json = false;
  std::string library;
  std::string topology;
  std::string affinity;
  int ranks = 0;
  std::string rank_file;
  std::vector<std::string> command; // of which the entry is asked for; empty: of none
};

constexpr const char *footer =
    R"(The library itself is asked, in a team of as many threads as a program would get, under the
variables in force: OMP_NUM_THREADS, OMP_PROC_BIND, OMP_PLACES, OMP_SCHEDULE, GOMP_AMP_*, and the
affinity mask that taskset, numactl or a cgroup left. `amp-emu virtual 4x3.0+4x1.0 -- amp-info`
shows the virtual machine.

--json prints one object (CPUs are lists like "0-3,8"; null = not known):
  format           2; it changes if a member is removed or changes its meaning
  version library  of the library: "0.1.0", its file
  machine          16 hexadecimal digits, by which files of GOMP_AID_SF_SAVE know it
  source           who told the classes: "cpu_capacity", "GOMP_AMP_TOPOLOGY", ..., "none"
  classes          the machine's, fastest first: {class, cpus, cores, capacity}; class 0 is the
                   slowest; cpus = those that the process may use, "" = none; capacity 1..1024,
                   the fastest has 1024, null = only the order is known
  cpus             {usable, excluded, offline}: by the process, by its affinity mask, altogether
  cores            the usable CPUs of each physical core
  binding          {by, proc_bind, threads}: by = the variables that decided, null = none;
                   threads = per thread {cpus, class}, cpus null = not bound, class null = any
  folding          {now, auto}: by GOMP_AMP_FOLD, and if it were auto; each {threads, workers, on,
                   why}: the threads of a team, 0 = not folded; how many cores run them;
                   [{cpus, class, each}], each = threads on each of the cpus; why not, or null
  schedule         {kind, chunk, monotonic, from, routed}: of schedule(runtime) loops; from =
                   "OMP_SCHEDULE" or "default"; routed = {kind, chunk, arg, from} of the loops
                   that amp-gcc routed, where from may be "GOMP_AMP_SCHEDULE"; chunk 0 = the
                   schedule's default, arg 0 = none or measured
  options          the library's variables that are not at their default, name to value
  ranks            with --ranks: each rank's {cpus, capacity}; capacity = of its cores together

Exit status: 0, or 125 if nothing could be shown.

Examples: taskset -c 4-7 amp-info; amp-info --json --affinity=BS | jq .binding)";

// Sets NAME to VALUE unless VALUE is empty. Returns whether that changed anything.
bool set_variable(const char *name, const std::string &value) {
  const char *const before = std::getenv(name);
  if (value.empty() || (before && value == before))
    return false;
  if (setenv(name, value.c_str(), 1) != 0)
    throw amp::Failure(std::string(name) + ": " + std::strerror(errno));
  return true;
}

amp::Report ask(const Options &options, char **argv) {
  bool changed = set_variable("GOMP_AMP_TOPOLOGY", options.topology);
  changed |= set_variable("GOMP_AMP_AFFINITY", options.affinity);
  if (!amp::runtime_preloaded())
    return amp::ask_runtime(options.library.empty() ? amp::own_library("libgomp.so.1")
                                                    : options.library);
  if (changed) {
    // The preloaded runtime has read its options already.
    execv("/proc/self/exe", argv);
    throw amp::Failure(std::string("cannot start again: ") + std::strerror(errno));
  }
  const amp::Report report = amp::ask_runtime("");
  std::error_code error;
  if (!options.library.empty() &&
      !std::filesystem::equivalent(options.library, report.library, error))
    throw amp::Failure("--library " + options.library + ": LD_PRELOAD has put " + report.library +
                       " in its place; unset that or leave the option out");
  return report;
}

// Becomes amp-run, which prints which entry decides how COMMAND is run. It is no child, as the
// runtime's threads would take its SIGCHLD.
[[noreturn]] void show_entry(std::vector<std::string> command) {
  const std::string tool = amp::own_tool("amp-run");
  command.insert(command.begin(), {tool, "--known", "--"});
  std::cout << "\nWay, by amp-run --known\n" << std::flush;
  throw amp::exec_failure(tool, amp::execute(tool, command));
}

std::string refuse_empty(const std::string &value) {
  return value.empty() ? "it needs a value" : "";
}

void add_options(CLI::App &app, Options &options) {
  CLI::Option *const json =
      app.add_flag("--json", options.json, "Print one JSON object instead of the table");
  app.add_option("--library", options.library,
                 "Ask this libgomp.so.1 instead of the one that belongs to amp-info")
      ->type_name("PATH")
      ->check(refuse_empty);
  app.add_option("--topology", options.topology,
                 "Set GOMP_AMP_TOPOLOGY: CPUs=capacity,..., off, a directory")
      ->type_name("VALUE")
      ->check(refuse_empty);
  app.add_option("--affinity", options.affinity,
                 "Set GOMP_AMP_AFFINITY: thread 0 on the fastest core (BS) or\n"
                 "the slowest (SB), or none bound (false)")
      ->type_name("ORDER")
      ->check(CLI::IsMember({"BS", "SB", "true", "false"}));
  CLI::Option *const ranks =
      app.add_option("--ranks", options.ranks,
                     "Show which CPUs amp-run --ranks gives to each of N MPI ranks of a node")
          ->type_name("N")
          ->check(CLI::Range(1, amp::cpu_limit));
  app.add_option("--rankfile", options.rank_file,
                 "Print that for a launcher, and nothing else: a file for Open MPI's mpirun "
                 "--rankfile FILE (openmpi), or the value of MPICH's mpirun -bind-to (mpich)")
      ->type_name("LAUNCHER")
      ->check(CLI::IsMember({"openmpi", "mpich"}))
      ->needs(ranks);
  app.add_option("CMD", options.command,
                 "Show also which entry decides how amp-run runs this program")
      ->excludes(json)
      ->excludes(ranks);
}

void print(const Options &options, const amp::Report &report) {
  if (options.rank_file == "openmpi")
    std::cout << amp::openmpi_rank_file(report.ranks);
  else if (options.rank_file == "mpich")
    std::cout << amp::mpich_binding(report.ranks) << "\n";
  else if (options.json)
    std::cout << amp::to_json(report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace)
              << "\n";
  else
    std::cout << amp::to_text(report);
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app(
      "Shows what libgomp-amp sees and would do: the core classes and who told them, the\n"
      "CPUs that may be used, threads and their binding, how teams are folded, schedules,\n"
      "changed options.",
      "amp-info");
  Options options;
  app.set_version_flag("--version", "amp-info " AMP_VERSION);
  add_options(app, options);
  app.footer(footer);

  try {
    app.parse(argc, argv);
    amp::Report report = ask(options, argv);
    if (options.ranks > 0)
      report.ranks = amp::share_cores(amp::usable_cores(report), options.ranks);
    print(options, report);
    if (!options.command.empty() && std::cout)
      show_entry(options.command);
    return std::cout.flush() ? 0 : amp::exit_refused;
  } catch (const CLI::Success &asked) {
    return app.exit(asked);
  } catch (const CLI::ParseError &error) {
    std::cerr << "amp-info: " << error.what() << ", see amp-info --help\n";
  } catch (const std::exception &error) {
    std::cerr << "amp-info: " << error.what() << "\n";
  }
  return amp::exit_refused;
}
