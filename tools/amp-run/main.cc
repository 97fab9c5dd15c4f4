// SPDX-License-Identifier: GPL-3.0-or-later
// amp-run: runs a program on libgomp-amp by preloading it, or reports why that would not work.
#include "amp-run/advice.h"
#include "amp-run/check.h"
#include "amp-run/explain.h"
#include "amp-run/fold-preload.h"
#include "amp-run/fold-value.h"
#include "amp-run/inspect.h"
#include "amp-run/local-rank.h"
#include "amp-run/modules.h"
#include "amp-run/rank-mask.h"
#include "amp-run/run-options.h"
#include "amp-run/schedule-name.h"
#include "amp-run/tune/decide.h"
#include "amp-run/tune/tune.h"
#include "common/command.h"
#include "common/preload.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <system_error>

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
void advise_on_schedule(const std::string &program, const std::string &library) {
  const char *const value = std::getenv("OMP_SCHEDULE");
  if (value && std::string(value).find("aid") != std::string::npos)
    if (const auto advice =
            amp::advice_on_schedule(program, amp::modules_of(program, library), value))
      std::cerr << "amp-run: " << *advice << "\n";
}

// The program that is CMD.
std::string find_command(const amp::Command &command, const amp::RunOptions &options) {
  try {
    return options.check ? amp::find_checked(command.front()) : amp::find_program(command.front());
  } catch (const amp::Failure &failure) {
    const char *const flag = options.fold == "auto"                      ? "fold"
                             : options.explain == amp::explain_on_stderr ? "explain"
                                                                         : "";
    throw amp::Failure(failure.what() + amp::advice_on_missing(command, flag), failure.status());
  }
}

// Gives this process its cores if it is an MPI rank. Unless the user ASKED for that, does it where
// the library binds threads: those of all ranks would be bound to the same cores.
void confine(bool asked, bool verbose) {
  if (!asked && !amp::folds() && !amp::binds_threads(std::getenv("GOMP_AMP_AFFINITY")))
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

void set_options(const amp::RunOptions &options) {
  for (const auto &[name, value] : {std::pair("OMP_SCHEDULE", &options.schedule),
                                    std::pair("GOMP_AMP_AFFINITY", &options.affinity),
                                    std::pair("GOMP_AMP_FOLD", &options.fold)})
    if (!value->empty())
      set_variable(name, *value, options.verbose);
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

// Refuses PROGRAM, and the TARGET behind it, if they would not run on LIBRARY.
void refuse_obstacles(const std::string &program, const amp::Target &target,
                      const std::string &library) {
  if (!target.obstacle.empty())
    throw amp::Failure("'" + program + "' " + target.obstacle + "; nothing was run");
  std::vector<std::string> files{program};
  if (!target.through.empty() && !target.executable.empty())
    files.push_back(target.executable);
  for (const std::string &file : files)
    if (const auto obstacle = amp::find_obstacle(file, library))
      throw amp::Failure("'" + file + "' " + *obstacle +
                         "; nothing was run (--force runs it all the same)");
}

int check(const std::string &program, const amp::Command &command, const amp::Target &target,
          const amp::Decision &decision, const std::string &library, const std::string &preloads) {
  // A library given in place of a program is no target.
  const bool behind = !target.through.empty() && !target.executable.empty();
  return amp::check({behind ? target.executable : program,
                     {command.begin() + 1, command.end()},
                     library,
                     preloads,
                     amp::folds_teams(std::getenv("GOMP_AMP_FOLD")),
                     target,
                     decision},
                    std::cout);
}

int run(const amp::RunOptions &options, const amp::Command &command) {
  const amp::Environment environment = amp::current_environment();
  const std::string program = find_command(command, options);
  const amp::Target target = amp::find_target(program, command);
  if (options.known)
    return amp::show_known(&target, std::cout), 0;
  if (options.forget)
    return amp::forget(target, std::cout) ? 0 : amp::exit_not_remembered;
  const std::string library = amp::runtime_library();
  const char *const variable = std::getenv("LD_PRELOAD");
  const std::string before = variable ? variable : "";
  amp::drop_way_of_parent(target.executable);
  std::string preloaded = amp::preload(library);
  if (const std::string first =
          amp::sanitizer_of(target.executable.empty() ? program : target.executable);
      !first.empty())
    preloaded = amp::preload(first);
  if (options.verbose) {
    std::cerr << "amp-run: LD_PRELOAD=" << preloaded << "\n";
    if (!std::getenv("OMP_DISPLAY_ENV"))
      set_variable("OMP_DISPLAY_ENV", "verbose", true);
  }
  set_options(options);
  if (!options.force)
    check_schedules(!options.schedule.empty());
  if (options.tune) {
    refuse_obstacles(program, target, library);
    return amp::tune(options.tuning, program, command, library, std::cerr);
  }
  const amp::Decision decision = choose(options, target);
  if (options.check)
    return check(program, command, target, decision, library, before);
  if (!options.force)
    refuse_obstacles(program, target, library);
  if (!decision.way)
    advise_on_schedule(program, library);
  confine(options.ranks, options.verbose);
  if (!options.explain.empty() && !is_other_rank())
    return amp::run_and_explain(program, command, options.explain, environment,
                                amp::folds() ? std::nullopt : std::optional(why(decision)),
                                decided(decision));
  if (!decision.way && !options.chosen() && !amp::decided_by())
    amp::advise_to_tune(target, library);
  throw amp::exec_failure(program, amp::execute(program, command));
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
