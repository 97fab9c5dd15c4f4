// SPDX-License-Identifier: GPL-3.0-or-later
// amp-run: runs a program on libgomp-amp by preloading it, or reports why that would not work.
#include "amp-run/advice.h"
#include "amp-run/amp-info.h"
#include "amp-run/check.h"
#include "amp-run/explain.h"
#include "amp-run/fold-preload.h"
#include "amp-run/fold-value.h"
#include "amp-run/inspect.h"
#include "amp-run/local-rank.h"
#include "amp-run/modules.h"
#include "amp-run/rank-mask.h"
#include "amp-run/schedule-name.h"
#include "amp-run/script.h"
#include "common/command.h"
#include "common/preload.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <system_error>

namespace {

struct Options {
  bool check = false;
  bool force = false;
  bool verbose = false;
  bool ranks = false;
  std::string schedule;
  std::string affinity;
  std::string fold;
  std::string fold_calls;
  std::string explain;
};

// Sets NAME to VALUE in the program's environment.
void set_variable(const char *name, const std::string &value, bool verbose) {
  if (setenv(name, value.c_str(), 1) != 0)
    throw amp::Failure(std::string(name) + ": " + std::strerror(errno));
  if (verbose)
    std::cerr << "amp-run: " << name << "=" << value << "\n";
}

// The library would report such a value and continue with another schedule.
void check_schedules() {
  for (const bool routed : {false, true}) {
    const char *const name = routed ? "GOMP_AMP_SCHEDULE" : "OMP_SCHEDULE";
    if (const char *const value = std::getenv(name))
      if (const auto fault = amp::fault_of_schedule(value, routed))
        throw amp::Failure(std::string(name) + ": " + *fault + "; nothing was run",
                           amp::exit_bad_schedule);
  }
}

// Programs of Python that ask for the number of CPUs take no more threads than these unless
// OMP_NUM_THREADS is set, which is the number of workers where PROGRAM is folded.
void set_python_threads(const std::string &program, bool verbose) {
  const std::string interpreter = amp::script_program(program);
  if (!amp::folds() || std::getenv("OMP_NUM_THREADS") ||
      !amp::is_python(interpreter.empty() ? program : interpreter))
    return;
  if (const int workers = amp::ask_machine().workers; workers > 0)
    set_variable("OMP_NUM_THREADS", std::to_string(workers), verbose);
}

// Reports it if the user chose a schedule that decides nothing in PROGRAM.
void advise_on_schedule(const std::string &program, const std::string &library) {
  const char *const value = std::getenv("OMP_SCHEDULE");
  if (value && std::string(value).find("aid") != std::string::npos)
    if (const auto advice =
            amp::advice_on_schedule(program, amp::modules_of(program, library), value))
      std::cerr << "amp-run: " << *advice << "\n";
}

// The program that is CMD; FOLD is the value of --fold.
std::string find_command(const amp::Command &command, bool check, const std::string &fold) {
  try {
    return check ? amp::find_checked(command.front()) : amp::find_program(command.front());
  } catch (const amp::Failure &failure) {
    const auto advice = fold == "auto" ? amp::advice_on_fold(command) : std::nullopt;
    throw amp::Failure(failure.what() + advice.value_or(""), failure.status());
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

int run(const Options &options, const amp::Command &command) {
  const amp::Environment environment = amp::current_environment();
  const std::string program = find_command(command, options.check, options.fold);
  const std::string library = amp::own_library("libgomp.so.1");
  const char *const variable = std::getenv("LD_PRELOAD");
  const std::string before = variable ? variable : "";
  const std::string preloaded = amp::preload(library);
  if (options.verbose) {
    std::cerr << "amp-run: LD_PRELOAD=" << preloaded << "\n";
    if (!std::getenv("OMP_DISPLAY_ENV"))
      set_variable("OMP_DISPLAY_ENV", "verbose", true);
  }
  if (!options.schedule.empty())
    set_variable("OMP_SCHEDULE", options.schedule, options.verbose);
  if (!options.affinity.empty())
    set_variable("GOMP_AMP_AFFINITY", options.affinity, options.verbose);
  if (!options.fold.empty())
    set_variable("GOMP_AMP_FOLD", options.fold, options.verbose);
  if (!options.fold_calls.empty())
    set_variable("GOMP_AMP_FOLD_CALLS", options.fold_calls, options.verbose);

  if (const auto all = amp::preload_for_folding(); all && options.verbose)
    std::cerr << "amp-run: LD_PRELOAD=" << *all << "\n";

  if (!options.force)
    check_schedules();
  if (options.check)
    return amp::check({program,
                       {command.begin() + 1, command.end()},
                       library,
                       before,
                       {amp::folds_teams(std::getenv("GOMP_AMP_FOLD")),
                        amp::fold_calls(std::getenv("GOMP_AMP_FOLD_CALLS"))}},
                      std::cout);
  if (!options.force) {
    if (const auto obstacle = amp::find_obstacle(program, library))
      throw amp::Failure("'" + program + "' " + *obstacle +
                         "; nothing was run (--force runs it all the same)");
  }
  set_python_threads(program, options.verbose);
  advise_on_schedule(program, library);
  confine(options.ranks, options.verbose);
  if (!options.explain.empty() && !is_other_rank())
    return amp::run_and_explain(program, command, options.explain, environment,
                                amp::folds() ? std::nullopt
                                             : std::optional<std::string>("--fold does"));
  throw amp::exec_failure(program, amp::execute(program, command));
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Runs CMD on libgomp-amp, the OpenMP runtime for asymmetric processors, by putting\n"
               "it into LD_PRELOAD. Refuses if CMD would not pick it up: a static program or\n"
               "static libgomp, another OpenMP runtime, a change of privileges.",
               "amp-run");
  Options options;
  app.set_version_flag("--version", "amp-run " AMP_VERSION);
  app.add_option("--schedule", options.schedule,
                 "Set OMP_SCHEDULE: the schedule of the loops that amp-gcc compiled without one "
                 "and of schedule(runtime): aid_static, aid_hybrid, aid_dynamic, static, ...")
      ->type_name("KIND[,ARGS]")
      ->check([](const std::string &value) {
        return std::string(value.empty() ? "it needs a schedule, such as aid_hybrid" : "");
      });
  app.add_option("--affinity", options.affinity,
                 "Set GOMP_AMP_AFFINITY: bind threads to cores, the first ones to the fastest "
                 "(BS, the same as true) or to the slowest (SB); false binds none")
      ->type_name("ORDER")
      ->check(CLI::IsMember({"BS", "SB", "true", "false"}));
  // A flag, so that the word after it is CMD and not its value.
  app.add_flag("--fold{auto}", options.fold,
               "Set GOMP_AMP_FOLD: run more threads than cores, which take turns on them, and give "
               "fast cores more of them, so that static loops need no compiler's help. Without a "
               "value, or with auto: as few threads as match the cores' speeds, none where these "
               "are equal; --fold=K: K for each core; --fold=0: none")
      ->check([](const std::string &value) { return amp::fault_of_fold(value).value_or(""); });
  app.add_option("--fold-calls", options.fold_calls,
                 "Set GOMP_AMP_FOLD_CALLS, which regions of folded threads a core calls once for "
                 "each thread number, without turns: auto, those of modules without thread-local "
                 "variables; all: also where the threads of a core then share these; off: none")
      ->type_name("WHICH")
      ->check(CLI::IsMember({"auto", "all", "off"}));
  app.add_flag("--ranks", options.ranks,
               "Give each MPI rank of this node cores of its own, with the same capacity up to one "
               "core, unless the launcher has bound it: mpirun --bind-to none amp-run --ranks CMD. "
               "The default where threads are bound to cores (--fold, --affinity)");
  app.add_flag("--check", options.check,
               "Run nothing; report whether CMD would pick the library up, which loops and tasks "
               "the library would schedule, and how it would fold the parallel regions: in CMD, in "
               "the libraries that it loads, and in those among its arguments");
  // A flag, as --fold.
  app.add_flag(
      "--explain{-}", options.explain,
      "Run CMD, and explain then, on standard error or in the file of --explain=FILE, what "
      "its cores could reach, what the library did, where the time went, what is left and "
      "what to try. Of the MPI ranks of a node the first one does; amp-run --explain "
      "mpirun ... explains all of this node");
  app.add_flag("--force", options.force,
               "Run CMD without looking whether it would, or whether "
               "the schedule is one");
  app.add_flag(
      "-v,--verbose", options.verbose,
      "Print the environment variables that are set, and set OMP_DISPLAY_ENV=verbose unless "
      "it is set: the library reports at CMD's start what it found and was asked for, and at "
      "its end what it did with folded regions, and why");
  app.footer(
      std::string("Loops are scheduled if CMD is compiled with amp-gcc, amp-g++ or amp-gfortran. "
                  "The threads of\nother programs are folded by --fold.\n\n") +
      amp::exit_status_help +
      "\n2 if OMP_SCHEDULE or GOMP_AMP_SCHEDULE is no schedule. With --check: 0 if the "
      "library would\nschedule some of CMD's loops or tasks, or fold its teams; 1 if "
      "not.\n\n"
      "Examples: amp-run ./app input.dat; amp-run --explain ./app; amp-run --schedule=aid_hybrid "
      "./app");
  return amp::run_tool(app, argc, argv,
                       [&](const amp::Command &command) { return run(options, command); });
}
