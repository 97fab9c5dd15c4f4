// SPDX-License-Identifier: GPL-3.0-or-later
// Asks libgomp/amp's parser of schedules, which is compiled into this program.
#include "amp-run/schedule-name.h"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

extern "C" {
#include "parse.h"
#include "schedules.h"
}

namespace amp {

namespace {

#define NAME(ident, name, kind) name,
constexpr const char *known_names[] = {
    GOMP_AMP_OPENMP_SCHEDULES(NAME)
#define GOMP_AMP_SCHEDULE(ident, name, kind, chunk, arg, arg_min, arg_max, arg_default, help) name,
#include "schedules.def"
};

// How many letters to insert, drop, replace or swap with their neighbour make one of the other.
std::size_t distance(const std::string &a, const std::string &b) {
  std::vector<std::size_t> before, last, row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = last;
    last = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

// The schedule's name in VALUE, in the letters in which the known ones are written.
std::string name_in(const std::string &value) {
  const std::size_t colon = value.find(':');
  const char *cursor = value.c_str() + (colon == value.npos ? 0 : colon + 1);
  const char *word;
  std::size_t length;
  gomp_amp_skip_blanks(&cursor);
  if (!gomp_amp_read_word(&cursor, &word, &length))
    return {};
  std::string name(word, length);
  for (char &c : name)
    c = c == '-' ? '_' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return name;
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
      std::begin(known_names), std::end(known_names),
      [&](const char *a, const char *b) { return distance(name, a) < distance(name, b); });
  // A name that shares less than half its letters with any is no slip of the keys.
  const std::size_t apart = distance(name, *nearest);
  if (apart > 0 && 2 * apart <= name.size())
    fault += std::string("; the nearest is ") + *nearest;
  return fault;
}

} // namespace amp
