// SPDX-License-Identifier: GPL-3.0-or-later
// Declares the options of amp-run.
#include "amp-run/run-options.h"

#include "amp-run/values.h"
#include "common/command.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace amp {

namespace {

// The ways, as a list for the help.
std::string help_of_ways() {
  std::string text = "Run CMD in this way, whatever programs.toml says: ";
  for (const Way &way : ways)
    text += std::string(&way == &ways.front() ? "" : "; ") + way.name + ", " + way.text;
  return text;
}

void add_tuning(CLI::App &app, RunOptions &options) {
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
        return find_way(name) ? std::string() : "'" + name + "': expected one of " + way_names();
      });
  app.add_flag("--known", options.known,
               "Run nothing; show which way is remembered for CMD, or without CMD all entries");
  app.add_flag("--forget", options.forget, "Run nothing; remove what --tune remembered of CMD");
}

void add_knobs(CLI::App &app, RunOptions &options) {
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
      ->check([](const std::string &value) { return fault_of_fold(value).value_or(""); });
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

void add_others(CLI::App &app, RunOptions &options) {
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

} // namespace

const char *RunOptions::chosen() const {
  return !fold.empty()       ? "--fold"
         : !schedule.empty() ? "--schedule"
         : !affinity.empty() ? "--affinity"
         : !way.empty()      ? "--way"
                             : nullptr;
}

void refuse_stray_options(const CLI::App &app, const RunOptions &options) {
  for (const char *const name :
       {"--rounds", "--budget", "--output", "--reset", "--accept-rounding"})
    if (!options.tune && app.count(name) > 0)
      throw Failure(std::string(name) +
                    ": expected --tune, of which it is an option; nothing was run");
}

void add_options(CLI::App &app, RunOptions &options) {
  app.set_version_flag("--version", "amp-run " AMP_VERSION);
  add_tuning(app, options);
  add_knobs(app, options);
  add_others(app, options);
  app.footer(
      std::string("Loops are scheduled if CMD is compiled with amp-gcc, amp-g++ or amp-gfortran. "
                  "Other programs run as\n--tune found best, or as programs.toml says.\n\n") +
      exit_status_help +
      "\n2 if OMP_SCHEDULE or GOMP_AMP_SCHEDULE is no schedule. With --check: 0 if the "
      "library would\nschedule some of CMD's loops or tasks, or fold its teams; 1 if "
      "not. With --tune: that of the\nfirst plain run if it is not 0, and else 0 if a way is "
      "remembered, 1 if not.\n\n"
      "Examples: amp-run --tune ./app input.dat; amp-run ./app input.dat; amp-run --explain ./app");
}

} // namespace amp
