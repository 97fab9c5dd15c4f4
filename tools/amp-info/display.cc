// SPDX-License-Identifier: GPL-3.0-or-later
// Reads what omp_display_env prints and tells which options are not at their default.
#include "amp-info/display.h"

#include <map>
#include <sstream>
#include <string_view>

// With the options of the lab's library, which may be the one that answers.
#define GOMP_AMP_VIRTUAL 1
extern "C" {
#include "options.h"
}

namespace amp {

namespace {

struct Keyword {
  std::string_view option, name;
  unsigned long value;
};

constexpr Keyword keywords[] = {
#define GOMP_AMP_KEYWORD(field, name, ident) {#field, name, GOMP_AMP_##ident},
#include "options.def"
};

// Each default_TYPE returns how the library displays the default VALUE of the option FIELD.

std::string default_NUMBER(std::string_view, unsigned long value) { return std::to_string(value); }

std::string default_KEYWORD(std::string_view field, unsigned long value) {
  for (const Keyword &keyword : keywords)
    if (keyword.option == field && keyword.value == value)
      return std::string(keyword.name);
  return {};
}

std::string default_TEXT(std::string_view, unsigned long) { return {}; }

constexpr auto default_FILE = default_TEXT;
constexpr auto default_SCHEDULE = default_TEXT;
constexpr auto default_SF_LIST = default_TEXT;
constexpr auto default_CLASS_LIST = default_TEXT;

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
  const std::map<std::string_view, std::string> defaults = {
#define GOMP_AMP_OPTION(field, name, type, def, min, max, accepted, help)                          \
  {name, default_##type(#field, def)},
#include "options.def"
  };
  Variables changed;
  for (const auto &[name, value] : displayed)
    if (const auto option = defaults.find(name);
        option != defaults.end() && option->second != value)
      changed.emplace_back(name, value);
  return changed;
}

} // namespace amp
