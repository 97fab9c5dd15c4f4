// SPDX-License-Identifier: GPL-3.0-or-later
// Looks entries up, and remembers for a day of which programs there is none.
#include "amp-run/tune/decide.h"

#include "amp-run/advice.h"
#include "amp-run/tune/entries.h"

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <sys/stat.h>
#include <unistd.h>

namespace amp {

namespace {

// The file of what was reported today; empty if there is no place for it.
std::string said_file() {
  const char *const cache = std::getenv("XDG_CACHE_HOME"), *const home = std::getenv("HOME");
  if (cache && cache[0] == '/')
    return std::string(cache) + "/libgomp-amp/untuned";
  return home && home[0] == '/' ? std::string(home) + "/.cache/libgomp-amp/untuned" : "";
}

// Whether TEXT was not reported today; it is from now on. The file is of one day: its first line is
// the date, the others are hashes.
bool is_news(const std::string &text) {
  const std::string file = said_file();
  if (file.empty())
    return false;
  char day[16];
  const std::time_t now = std::time(nullptr);
  std::tm local;
  std::strftime(day, sizeof day, "%Y-%m-%d", localtime_r(&now, &local));
  const std::string hash = std::to_string(std::hash<std::string>()(text));
  bool today = false;
  {
    std::ifstream stream(file);
    std::string line;
    today = std::getline(stream, line) && line == day;
    while (today && std::getline(stream, line))
      if (line == hash)
        return false;
  }
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(file).parent_path(), error);
  std::ofstream stream(file, today ? std::ios::app : std::ios::trunc);
  if (!today)
    stream << day << "\n";
  stream << hash << "\n";
  // Without a place to remember it would be said each time.
  return static_cast<bool>(stream.flush());
}

} // namespace

Decision decide(const Target &target, bool verbose) {
  Decision decision;
  if (const char *const name = decided_by()) {
    decision.why_none = std::string(name) + " is set";
    return decision;
  }
  const std::vector<EntryFile> files = all_entry_files();
  for (const EntryFile &file : files)
    if (!file.fault.empty())
      std::cerr << "amp-run: " << file.fault << "; its entries do not count\n";
  for (const EntryFile &file : files)
    for (const std::string &warning : file.warnings)
      if (is_news(warning))
        std::cerr << "amp-run: " << warning << "\n";
  const Choice choice = choose_way(files, target, [] { return ask_machine().name; });
  if (verbose)
    for (const std::string &other : choice.others)
      std::cerr << "amp-run: " << other << "\n";
  decision.way = choice.way;
  decision.by = choice.line;
  if (!choice.way)
    decision.why_none =
        choice.others.empty() ? "no entry of programs.toml is about it" : choice.others.front();
  return decision;
}

void advise_to_tune(const Target &target, const std::string &library) {
  if (!isatty(STDERR_FILENO) || target.name.empty())
    return;
  if (!is_python(target.interpreter) && !traits_of(target, library).parallel)
    return;
  if (!ask_machine().uneven() || !is_news(target.name + "\n" + target.interpreter))
    return;
  std::cerr << "amp-run: '" << target.name
            << "' was never tuned: amp-run --tune finds its best way on these cores\n";
}

} // namespace amp
