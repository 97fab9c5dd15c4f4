// SPDX-License-Identifier: GPL-3.0-or-later
// amp-run: runs a program on libgomp-amp by preloading it, or reports why that would not work.
#include "amp-run/ranks.h"
#include "amp-run/report.h"
#include "amp-run/run-options.h"
#include "amp-run/tune/tune.h"
#include "amp-run/values.h"
#include "common/preload.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <unistd.h>

namespace {

// Sets NAME to VALUE in the program's environment.
void set_variable(const char *name, const std::string &value, bool verbose) {
  if (setenv(name, value.c_str(), 1) != 0)
    throw amp::Failure(std::string(name) + ": " + std::strerror(errno));
  if (verbose)
    std::cerr << "amp-run: " << name << "=" << value << "\n";
}

// The library would report such a value and continue with another schedule. GIVEN: OMP_SCHEDULE is
// that of --schedule.
void check_schedules(bool given) {
  for (const bool routed : {false, true}) {
    const char *const name = routed ? "GOMP_AMP_SCHEDULE" : "OMP_SCHEDULE";
    if (const char *const value = std::getenv(name))
      if (const auto fault = amp::fault_of_schedule(value, routed))
        throw amp::Failure(std::string(given && !routed ? "--schedule" : name) + ": " + *fault +
                               "; nothing was run",
                           amp::exit_bad_schedule);
  }
}

// Reports it if the user chose a schedule that decides nothing in PROGRAM.
void advise_on_schedule(const amp::Program &program) {
  const char *const value = std::getenv("OMP_SCHEDULE");
  if (!value || !std::strstr(value, "aid"))
    return;
  const amp::Modules &modules = program.modules();
  // What is loaded later is not seen, and a program without OpenMP may start others.
  for (const auto use :
       {&amp::OpenMPUse::routed, &amp::OpenMPUse::runtime, &amp::OpenMPUse::passed})
    if (modules.using_openmp.empty() || modules.plugins || modules.any(use))
      return;
  std::cerr << "amp-run: OMP_SCHEDULE=" << value << " has no effect: '" << program.seen
            << "' has no loops with schedule(runtime) and none that amp-gcc routed; amp-run --tune "
               "finds out what it gains by, --check shows what it has\n";
}

// The first word of COMMAND is not found: what the user may have meant by it and OPTIONS. Empty if
// that is not known.
std::string advice_on_missing(const amp::Command &command, const amp::RunOptions &options) {
  const std::string &word = command.front();
  if (word.find('/') != word.npos)
    return "";
  if (options.fold == "auto" && !amp::fault_of_fold(word))
    return "; --fold=" + word + " sets the number of threads";
  if (options.explain == amp::explain_on_stderr && command.size() > 1)
    return "; --explain=" + word + " writes the explanation to a file";
  const bool here = std::filesystem::is_regular_file(word) && access(word.c_str(), X_OK) == 0;
  return here ? "; PATH has not this directory: './" + word + "' is here" : "";
}

// The program that COMMAND starts.
amp::Program find(const amp::Command &command, const amp::RunOptions &options,
                  const std::string &library) {
  try {
    return amp::Program(command, library, options.check);
  } catch (const amp::Failure &failure) {
    throw amp::Failure(failure.what() + advice_on_missing(command, options), failure.status());
  }
}

// Gives this process its cores if it is an MPI rank. Unless the user ASKED for that, does it where
// the library binds threads: those of all ranks would be bound to the same cores.
void confine(bool asked, bool verbose) {
  if (!asked && !amp::folds() && !amp::binds_threads())
    return;
  try {
    if (const auto rank = amp::find_local_rank(std::getenv))
      amp::confine_rank(*rank, asked, verbose);
    else if (asked)
      std::cerr << "amp-run: --ranks: no MPI launcher has started this process: expected the "
                   "variables of Open MPI, MPICH or Slurm; its mask is left as it is\n";
  } catch (const amp::Failure &failure) {
    // A fault of the launcher's variables is not the program's.
    std::cerr << "amp-run: " << failure.what() << "\n";
  }
}

// Of the MPI ranks of a node one explains what it did.
bool is_other_rank() {
  try {
    const auto rank = amp::find_local_rank(std::getenv);
    return rank && rank->rank != 0;
  } catch (const amp::Failure &) {
    return false; // confine has reported it
  }
}

// What decided how the program runs; empty if nothing did.
std::string decided(const amp::Decision &decision) {
  return decision.way ? decision.by + " decides: it is run " + decision.way->name : "";
}

// Why DECISION is not to fold.
std::string why(const amp::Decision &decision) {
  if (decision.way)
    return decision.by + " says " + decision.way->name;
  return decision.why_none + "; --tune finds out whether it gains";
}

// Runs TARGET as the options, the environment or an entry say.
amp::Decision choose(const amp::RunOptions &options, const amp::Target &target) {
  amp::Decision decision;
  if (!options.way.empty()) {
    decision.way = amp::find_way(options.way);
    decision.by = "--way";
  } else if (const char *const chosen = options.chosen())
    decision.why_none = std::string(chosen) + " is given";
  else
    decision = amp::decide(target, options.verbose || options.check);
  const auto told = [&](const char *name, const char *value) {
    if (options.verbose)
      std::cerr << "amp-run: " << name << "=" << value << "\n";
  };
  if (decision.way) {
    if (options.verbose)
      std::cerr << "amp-run: " << decided(decision) << "\n";
    const bool fast = decision.way->classes > 0;
    const bool needed = fast || amp::is_python(target.interpreter);
    amp::take_way(*decision.way, needed ? amp::ask_machine() : amp::Machine(), target, told);
  } else {
    if (options.verbose)
      std::cerr << "amp-run: no entry decides how it is run: " << decision.why_none << "\n";
    amp::prepare_folding(
        target, [] { return amp::ask_machine().workers; }, told);
  }
  return decision;
}

// Puts the library into LD_PRELOAD for PROGRAM, and sets what OPTIONS ask for.
void prepare(const amp::RunOptions &options, const amp::Program &program) {
  amp::drop_way_of_parent(program.executable);
  std::string preloaded = amp::preload(program.library);
  if (const std::string first = program.sanitizer(); !first.empty())
    preloaded = amp::preload(first);
  if (options.verbose) {
    std::cerr << "amp-run: LD_PRELOAD=" << preloaded << "\n";
    if (!std::getenv("OMP_DISPLAY_ENV"))
      set_variable("OMP_DISPLAY_ENV", "verbose", true);
  }
  for (const auto &[name, value] : {std::pair("OMP_SCHEDULE", &options.schedule),
                                    std::pair("GOMP_AMP_AFFINITY", &options.affinity),
                                    std::pair("GOMP_AMP_FOLD", &options.fold)})
    if (!value->empty())
      set_variable(name, *value, options.verbose);
  if (!options.force)
    check_schedules(!options.schedule.empty());
}

int run(const amp::RunOptions &options, const amp::Command &command) {
  amp::Environment environment;
  for (char **variable = environ; variable && *variable; ++variable)
    environment.emplace_back(*variable);
  const char *const preloads = std::getenv("LD_PRELOAD");
  const std::string before = preloads ? preloads : "";
  const amp::Program program = find(command, options, amp::runtime_library());
  if (options.known)
    return amp::show_known(&program, std::cout), 0;
  if (options.forget)
    return amp::forget(program, std::cout) ? 0 : amp::exit_not_remembered;
  prepare(options, program);
  if (options.tune || (!options.force && !options.check))
    program.refuse_obstacles();
  if (options.tune)
    return amp::tune(options.tuning, program, std::cerr);
  const amp::Decision decision = choose(options, program);
  if (options.check)
    return amp::check(program, decision, before, std::cout);
  if (!decision.way)
    advise_on_schedule(program);
  confine(options.ranks, options.verbose);
  if (!options.explain.empty() && !is_other_rank())
    return amp::run_and_explain(program, options.explain, environment,
                                amp::folds() ? std::nullopt : std::optional(why(decision)),
                                decided(decision));
  if (!decision.way && !options.chosen() && !amp::decided_by())
    amp::advise_to_tune(program);
  throw amp::exec_failure(program.file, amp::execute(program.file, command));
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Runs CMD on libgomp-amp, the OpenMP runtime for asymmetric processors, by putting\n"
               "it into LD_PRELOAD. Refuses if CMD would not pick it up: a static program or\n"
               "static libgomp, another OpenMP runtime, a change of privileges.",
               "amp-run");
  amp::RunOptions options;
  amp::add_options(app, options);
  return amp::run_tool(
      app, argc, argv,
      [&](const amp::Command &command) {
        if (command.empty())
          return amp::show_known(nullptr, std::cout), 0;
        amp::refuse_stray_options(app, options);
        if (!options.budget.empty())
          options.tuning.budget = amp::parse_duration(options.budget);
        return run(options, command);
      },
      &options.known);
}
