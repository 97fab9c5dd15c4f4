// SPDX-License-Identifier: GPL-3.0-or-later
// Tries ways, shows what came out, and remembers it.
#include "amp-run/tune/tune.h"

#include "amp-run/ranks.h"
#include "common/preload.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <optional>
#include <sstream>

namespace amp {

namespace {

std::string number_text(double value, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << value;
  return text.str();
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::tm utc;
  std::strftime(text, sizeof text, "%Y-%m-%d", gmtime_r(&now, &utc));
  return text;
}

void show_table(const Rounds &rounds, std::ostream &stream) {
  stream << std::left << std::setw(8) << "way" << std::right << std::setw(10) << "seconds"
         << std::setw(8) << "gain"
         << "\n";
  for (const Trial &trial : rounds.trials) {
    stream << std::left << std::setw(8) << trial.way->name << std::right;
    if (trial.seconds.empty())
      stream << std::setw(10) << "-" << std::setw(8) << "-";
    else
      stream << std::setw(10) << number_text(median(trial.seconds), 3) << std::setw(8)
             << number_text(trial.gain, 2);
    const bool best = &trial == &rounds.trials[rounds.best] && rounds.enough();
    const std::string &said = trial.left_out;
    stream << (best ? "  the best" : !said.empty() ? "  " + said : "") << "\n";
  }
  stream
      << (rounds.compared.empty()
              ? "Nothing could be compared: the program writes nothing that is the same in plain "
                "runs.\n"
              : "Compared with plain runs with as many threads: " + rounds.compared + ".\n");
  for (const std::string &note : rounds.notes)
    stream << note << "\n";
  if (!rounds.stopped.empty())
    stream << "There were " << rounds.trials[0].seconds.size() << " rounds: " << rounds.stopped
           << ".\n";
}

Entry entry_for(const Target &target, const Machine &machine, const Rounds &rounds) {
  const Trial &plain = rounds.trials.front(), &best = rounds.trials[rounds.best];
  Entry entry;
  entry.name = target.name;
  entry.interpreter = target.interpreter;
  entry.build_id = target.build_id;
  entry.hash = target.build_id.empty() ? target.hash() : "";
  entry.arguments = target.arguments;
  entry.way = best.way->name;
  entry.machine = machine.name;
  entry.gain = best.gain;
  entry.tuned = today();
  if (plain.seconds.empty())
    return entry; // there was no other way
  entry.measured = "plain " + number_text(median(plain.seconds), 3) + " s";
  if (&best != &plain)
    entry.measured +=
        std::string(", ") + best.way->name + " " + number_text(median(best.seconds), 3) + " s";
  entry.measured += "; medians of " + std::to_string(best.seconds.size()) + " rounds";
  return entry;
}

// Remembers that BEST is the way of TARGET. Returns whether it could.
bool remember(const Target &target, const Entry &entry, std::ostream &stream) {
  const std::string file = user_file();
  try {
    if (target.name.empty())
      throw Failure("it reads its code from elsewhere, so that there is no name for it");
    change_entries(file, [&](const std::string &text) { return with_entry(text, entry); });
  } catch (const Failure &failure) {
    std::cerr << "amp-run: not remembered: " << failure.what() << "; amp-run --way=" << entry.way
              << " runs it like that\n";
    return false;
  }
  stream << "amp-run runs " << target.shown() << " " << entry.way << " from now on (" << file
         << ").\n";
  return true;
}

void refuse_ranks() {
  try {
    if (!find_local_rank(std::getenv))
      return;
  } catch (const Failure &) {
    // A launcher's variables, whatever is wrong with them.
  }
  throw Failure("this is a rank of MPI, and each would tune: amp-run --tune comes before mpirun; "
                "nothing was run");
}

} // namespace

std::string names_of_ways(const Traits &traits, const Machine &machine) {
  std::string names;
  for (const Way *const way : ways_for(traits, machine))
    names += (names.empty() ? "" : ", ") + std::string(way->name);
  return names;
}

int tune(const TuneOptions &options, const Program &program, std::ostream &stream) {
  refuse_ranks();
  if (const char *const name = decided_by())
    std::cerr << "amp-run: " << name << " has no effect: --tune tries ways that set it\n";
  const Machine machine = ask_machine();
  const auto ways = ways_for(program.traits(), machine);
  if (ways.size() < 2)
    throw Failure(machine.uneven()
                      ? program.shown() + " has nothing that the library could run in another way"
                      : "the cores are equally fast, so that there is one way; nothing was run");
  // One tuning at a time: two would measure each other. What is simulated does not disturb others,
  // and other users are noise: a lock beside the user's entries is none that they can hold.
  std::optional<FileLock> lock;
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(user_file()).parent_path(), error);
  if (!in_virtual_time())
    lock.emplace(user_file() + ".tuning",
                 "amp-run: another --tune is at work on this machine; waiting for its end\n");
  const Rounds rounds = run_rounds(options, program, machine, ways);
  show_table(rounds, stream);
  if (!rounds.enough()) {
    stream << "Nothing is remembered: that takes two rounds; --budget gives more time.\n";
    return exit_not_remembered;
  }
  return remember(program, entry_for(program, machine, rounds), stream) ? 0 : exit_not_remembered;
}

void show_known(const Target *target, std::ostream &stream) {
  const std::vector<EntryFile> files = all_entry_files();
  for (const EntryFile &file : files) {
    if (!file.fault.empty())
      stream << file.fault << "; its entries do not count\n";
    for (const std::string &warning : file.warnings)
      stream << warning << "\n";
    for (const Entry &entry : file.entries) {
      if (target && !is_about(entry, *target))
        continue;
      stream << file.file << ":" << entry.line << ": " << entry.name << " " << entry.way;
      if (entry.gain > 0)
        stream << ", gain " << number_text(entry.gain, 2);
      stream << (entry.tuned.empty() ? "" : ", " + entry.tuned)
             << (entry.machine.empty() ? "" : ", " + entry.machine)
             << (entry.arguments.empty() ? "" : ", with " + entry.arguments) << "\n";
    }
  }
  if (!target)
    return;
  const Choice choice = choose_way(files, *target, [] { return ask_machine().name; });
  for (const std::string &other : choice.others)
    stream << other << "\n";
  if (choice.way)
    stream << choice.line << " decides: " << target->shown() << " is run " << choice.way->name
           << "\n";
  else
    stream << "no entry decides for " << target->shown() << "\n";
}

bool forget(const Target &target, std::ostream &stream) {
  unsigned count = 0;
  change_entries(user_file(),
                 [&](const std::string &text) { return without_entries(text, target, count); });
  stream << "amp-run: " << count << (count == 1 ? " entry" : " entries") << " about "
         << target.shown() << " removed from " << user_file() << "\n";
  return count > 0;
}

double parse_duration(const std::string &text) {
  char *end;
  const double value = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  const double factor = unit == "h" ? 3600 : unit == "m" ? 60 : unit.empty() || unit == "s" ? 1 : 0;
  if (end == text.c_str() || factor == 0 || !(value > 0) || value > 1e6)
    throw Failure("--budget: '" + text +
                  "': expected a time such as 90s, 10m or 2h; nothing was run");
  return value * factor;
}

} // namespace amp
