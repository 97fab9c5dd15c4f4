// SPDX-License-Identifier: GPL-3.0-or-later
// amp-run: runs a program on libgomp-amp by preloading it, or reports why that would not work.
#include "amp-run/machine.h"
#include "amp-run/report.h"
#include "amp-run/tune/tune.h"
#include "amp-run/tune/ways.h"
#include "common/preload.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <unistd.h>

namespace {

struct Options {
  bool check = false, force = false, verbose = false, ranks = false;
  bool tune = false, known = false, forget = false;
  std::string schedule, affinity, fold, way, explain, budget;
  amp::TuneOptions tuning;

  // The option, other than --tune, --known and --forget, that says how CMD runs; null if none.
  const char *chosen() const;
};

// The ways, as a list for the help.
std::string help_of_ways() {
  std::string text = "Run CMD in this way, whatever programs.toml says: ";
  for (const amp::Way &way : amp::ways)
    text += std::string(&way == &amp::ways.front() ? "" : "; ") + way.name + ", " + way.text;
  return text;
}

void add_tuning(CLI::App &app, Options &options) {
  app.add_flag(
      "--tune", options.tune,
      "Run CMD several times in each way that applies to it (--way), compare what the runs "
      "write with plain ones, show a table on standard error, and remember the best way: amp-run "
      "CMD uses it from then on. Each run starts from the same files; the output and the files of "
      "the first plain one are yours, those of the others are thrown away. Standard input is "
      "given to each run if it is a file");
  app.add_option("--rounds", options.tuning.rounds,
                 "With --tune: how often each way is run at least")
      ->type_name("N")
      ->check([](const std::string &value) {
        const bool good = value.size() < 3 && !value.empty() &&
                          value.find_first_not_of("0123456789") == value.npos &&
                          std::stoi(value) > 1;
        return good ? std::string() : "'" + value + "': expected a number from 2 to 99";
      })
      ->capture_default_str();
  app.add_option("--budget", options.budget,
                 "With --tune: the time that all runs may take together, 10m unless given")
      ->type_name("TIME");
  app.add_option(
         "--output", options.tuning.outputs,
         "With --tune: a file that CMD writes, which is compared too if it is in none of the "
         "directories that are copied; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option(
         "--reset", options.tuning.reset,
         "With --tune: a command for the shell, which is run before each run of CMD, on your "
         "own files")
      ->type_name("COMMAND");
  app.add_flag("--accept-rounding", options.tuning.accept_rounding,
               "With --tune: take ways that change the number of threads also if plain runs with "
               "that many print other numbers, by more than 1e-6 of the largest in line or column");
  app.add_option("--way", options.way, help_of_ways())
      ->type_name("WAY")
      ->check([](const std::string &name) {
        return amp::find_way(name) ? std::string()
                                   : "'" + name + "': expected one of " + amp::way_names();
      });
  app.add_flag("--known", options.known,
               "Run nothing; show which way is remembered for CMD, or without CMD all entries");
  app.add_flag("--forget", options.forget, "Run nothing; remove what --tune remembered of CMD");
}

void add_knobs(CLI::App &app, Options &options) {
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
      ->check([](const std::string &value) {
        const bool good = value == "BS" || value == "SB" || value == "true" || value == "false";
        return good ? std::string() : "'" + value + "': expected BS, SB, true or false";
      });
  // A flag, so that the word after it is CMD and not its value.
  app.add_flag("--fold{auto}", options.fold,
               "Set GOMP_AMP_FOLD: run more threads than cores, of which a core runs one until it "
               "waits, and give fast cores more of them, so that static loops need no compiler's "
               "help. Without a "
               "value, or with auto: as few threads as match the cores' speeds, none where these "
               "are equal; --fold=K: K for each core; --fold=0: none")
      ->check([](const std::string &value) { return amp::fault_of_fold(value).value_or(""); });
  // An option of the release before this one.
  app.add_option_function<std::string>("--fold-calls",
                                       [](const std::string &) {
                                         throw CLI::ValidationError(
                                             "--fold-calls",
                                             "it was removed: --fold alone folds all regions");
                                       })
      ->group("")
      ->expected(0, 1);
}

void add_others(CLI::App &app, Options &options) {
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
}

const char *Options::chosen() const {
  return !fold.empty()       ? "--fold"
         : !schedule.empty() ? "--schedule"
         : !affinity.empty() ? "--affinity"
         : !way.empty()      ? "--way"
                             : nullptr;
}

void refuse_stray_options(const CLI::App &app, const Options &options) {
  for (const char *const name :
       {"--rounds", "--budget", "--output", "--reset", "--accept-rounding"})
    if (!options.tune && app.count(name) > 0)
      throw amp::Failure(std::string(name) +
                         ": expected --tune, of which it is an option; nothing was run");
}

void add_options(CLI::App &app, Options &options) {
  app.set_version_flag("--version", "amp-run " AMP_VERSION);
  add_tuning(app, options);
  add_knobs(app, options);
  add_others(app, options);
  app.footer(
      std::string("Loops are scheduled if CMD is compiled with amp-gcc, amp-g++ or amp-gfortran. "
                  "Other programs run as\n--tune found best, or as programs.toml says.\n\n") +
      amp::exit_status_help +
      "\n2 if OMP_SCHEDULE or GOMP_AMP_SCHEDULE is no schedule. With --check: 0 if the "
      "library would\nschedule some of CMD's loops or tasks, or fold its teams; 1 if "
      "not. With --tune: that of the\nfirst plain run if it is not 0, and else 0 if a way is "
      "remembered, 1 if not.\n\n"
      "Examples: amp-run --tune ./app input.dat; amp-run ./app input.dat; amp-run --explain ./app");
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
std::string advice_on_missing(const amp::Command &command, const Options &options) {
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
amp::Program find(const amp::Command &command, const Options &options, const std::string &library) {
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
amp::Decision choose(const Options &options, const amp::Target &target) {
  amp::Decision decision;
  if (!options.way.empty()) {
    decision.way = amp::find_way(options.way);
    decision.by = "--way";
  } else if (const char *const chosen = options.chosen())
    decision.why_none = std::string(chosen) + " is given";
  else
    decision = amp::decide(target, options.verbose || options.check);
  if (options.verbose)
    std::cerr << "amp-run: "
              << (decision.way ? decided(decision)
                               : "no entry decides how it is run: " + decision.why_none)
              << "\n";
  if (decision.way)
    amp::take_way(*decision.way, target, options.verbose);
  else
    amp::prepare_folding(target, options.verbose);
  return decision;
}

// Puts the library into LD_PRELOAD for PROGRAM, and sets what OPTIONS ask for.
void prepare(const Options &options, const amp::Program &program) {
  amp::drop_way_of_parent(program.executable);
  std::string preloaded = amp::preload(program.library);
  if (const std::string first = program.sanitizer(); !first.empty())
    preloaded = amp::preload(first);
  if (options.verbose) {
    std::cerr << "amp-run: LD_PRELOAD=" << preloaded << "\n";
    if (!std::getenv("OMP_DISPLAY_ENV"))
      amp::set_variable("OMP_DISPLAY_ENV", "verbose", true);
  }
  for (const auto &[name, value] : {std::pair("OMP_SCHEDULE", &options.schedule),
                                    std::pair("GOMP_AMP_AFFINITY", &options.affinity),
                                    std::pair("GOMP_AMP_FOLD", &options.fold)})
    if (!value->empty())
      amp::set_variable(name, *value, options.verbose);
  if (!options.force)
    check_schedules(!options.schedule.empty());
}

int run(const Options &options, const amp::Command &command) {
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
  Options options;
  add_options(app, options);
  return amp::run_tool(
      app, argc, argv,
      [&](const amp::Command &command) {
        if (command.empty())
          return amp::show_known(nullptr, std::cout), 0;
        refuse_stray_options(app, options);
        if (!options.budget.empty())
          options.tuning.budget = amp::parse_duration(options.budget);
        return run(options, command);
      },
      &options.known);
}
