// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the output of omp_display_env and finds the options that are not at their default.
#include "amp-info/display.h"

#include <cstdlib>
#include <map>
#include <memory>
#include <regex>
#include <sstream>

extern "C" {
#include "options/option-table.h"
}

namespace amp {

namespace {

// How the library displays OPTION at its default, which it has in this program.
std::string shown_default(const gomp_amp_option &option) {
  char *text = nullptr;
  std::size_t size = 0;
  if (std::FILE *stream = open_memstream(&text, &size)) {
    gomp_amp_show_option(&option, stream);
    std::fclose(stream);
  }
  const std::unique_ptr<char, decltype(&std::free)> owner(text, std::free);
  return std::string(text ? text : "");
}

} // namespace

Variables parse_display(const std::string &text) {
  Variables variables;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find(" = '");
    const std::size_t end = line.rfind('\'');
    if (equals == line.npos || end < equals + 4)
      continue;
    const std::size_t begin = line.find_last_of(" ]", equals - 1) + 1;
    variables.emplace_back(line.substr(begin, equals - begin),
                           line.substr(equals + 4, end - equals - 4));
  }
  return variables;
}

Variables changed_options(const Variables &displayed) {
  std::map<std::string, std::string> defaults;
  for (unsigned i = 0; i < gomp_amp_option_count; ++i)
    defaults.emplace(gomp_amp_option_table[i].name, shown_default(gomp_amp_option_table[i]));
  Variables changed;
  for (const auto &[name, value] : displayed)
    if (const auto option = defaults.find(name);
        option != defaults.end() && option->second != value)
      changed.emplace_back(name, value);
  return changed;
}

FoldPlan parse_fold_plan(const std::string &value) {
  static const std::regex head(R"((\d+) threads on \d+ workers: .*)");
  static const std::regex group(R"((\d+) on (?:CPU|each of CPUs) ([\d,-]+) \(class (\d+)\))");
  FoldPlan plan;
  std::smatch match;
  if (!std::regex_match(value, match, head)) {
    const std::string none = "none: ";
    plan.why = value.compare(0, none.size(), none) == 0 ? value.substr(none.size()) : value;
    return plan;
  }
  plan.threads = std::stoi(match[1]);
  for (std::sregex_iterator at(value.begin(), value.end(), group), end; at != end; ++at) {
    WorkerGroup workers{{}, std::stoi((*at)[3]), std::stoi((*at)[1])};
    std::istringstream ranges((*at)[2].str());
    for (std::string range; std::getline(ranges, range, ',');)
      for (const int cpu : parse_cpu_list(range))
        workers.cpus.push_back(cpu);
    plan.groups.push_back(std::move(workers));
  }
  return plan;
}

} // namespace amp
