// SPDX-License-Identifier: GPL-3.0-or-later
// Parses values with the library's tables of options and schedules.
#include "amp-run/values.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

extern "C" {
#include "base/parse.h"
#include "loops/schedules.h"
#include "options/option-table.h"
}

namespace amp {

namespace {

#define NAME(ident, name, kind) name,
constexpr const char *known_names[] = {GOMP_AMP_OPENMP_SCHEDULES(NAME)
#define GOMP_AMP_SCHEDULE(ident, name, ...) name,
#include "loops/schedules.def"
};

// The schedule's name in VALUE.
std::string name_in(const std::string &value) {
  const std::size_t colon = value.find(':');
  const char *cursor = value.c_str() + (colon == value.npos ? 0 : colon + 1);
  const char *word;
  std::size_t length;
  gomp_amp_skip_blanks(&cursor);
  if (!gomp_amp_read_word(&cursor, &word, &length))
    return {};
  return std::string(word, length);
}

// Whether NAME is set to a value that the library accepts; gomp_amp_options has it then.
bool is_set(const char *name) {
  const char *const value = std::getenv(name);
  return value && gomp_amp_parse_option(gomp_amp_find_option(name), value);
}

} // namespace

std::optional<std::string> fault_of_schedule(const std::string &value, bool routed) {
  gomp_amp_schedule schedule;
  if (routed ? gomp_amp_parse_routed_schedule(value.c_str(), &schedule)
             : gomp_amp_at_end(value.c_str()) ||
                   gomp_amp_parse_schedule(value.c_str(), &schedule) != GOMP_AMP_PARSE_BAD)
    return std::nullopt;
  char shown[65];
  gomp_amp_printable(shown, sizeof shown, value.c_str());
  std::string fault = std::string("'") + shown + "': expected " + gomp_amp_schedules_accepted();
  const std::string name = name_in(value);
  const auto nearest = std::min_element(
      std::begin(known_names), std::end(known_names), [&](const char *a, const char *b) {
        return gomp_amp_edit_distance(name.c_str(), a) < gomp_amp_edit_distance(name.c_str(), b);
      });
  // A name that shares less than half its letters with every known name is no typing error.
  const std::size_t apart = gomp_amp_edit_distance(name.c_str(), *nearest);
  if (apart > 0 && 2 * apart <= name.size())
    fault += std::string("; the nearest is ") + *nearest;
  return fault;
}

std::optional<std::string> fault_of_fold(const std::string &value) {
  const gomp_amp_option *const option = gomp_amp_find_option("GOMP_AMP_FOLD");
  if (gomp_amp_parse_option(option, value.c_str()))
    return std::nullopt;
  char shown[65];
  gomp_amp_printable(shown, sizeof shown, value.c_str());
  return std::string("'") + shown + "': expected " + gomp_amp_expected(option);
}

bool folds() { return is_set("GOMP_AMP_FOLD") && gomp_amp_options.fold != 0; }

bool binds_threads() {
  return is_set("GOMP_AMP_AFFINITY") && gomp_amp_options.affinity != GOMP_AMP_AFFINITY_FALSE;
}

} // namespace amp
