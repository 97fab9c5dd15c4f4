// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzzes OMP_SCHEDULE and GOMP_AMP_SCHEDULE: what is accepted means what it says and survives
// display and parsing; what is not changes nothing.

#include "hold.h"

#include <climits>
#include <cstdint>
#include <cstring>
#include <string>

extern "C" {
#include "options/schedules.h"
}

namespace {

struct Row {
  const char *name;
  int kind;
  bool hasArg;
  int min, max;
};

const Row rows[] = {
#define GOMP_AMP_SCHEDULE(ident, name, kind, chunk, arg, arg_min, arg_max, ...)                    \
  {name, kind, sizeof(arg) > 1, arg_min, arg_max},
#include "options/schedules.def"
};

const Row &rowOf(int kind) {
  for (const Row &row : rows)
    if (row.kind == kind)
      return row;
  HOLD(!"a kind of schedules.def");
  std::abort();
}

/// \p value in one way of writing: lower case, '_' for '-', no blanks, no zeros before a number.
std::string plain(const std::string &value) {
  std::string out;
  for (char c : value) {
    if (c == ' ' || (c >= '\t' && c <= '\r'))
      continue;
    if (c >= '0' && c <= '9' && out.size() > 1 && out.back() == '0' && out[out.size() - 2] == ',')
      out.pop_back();
    out += c == '-' ? '_' : c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  }
  return out;
}

/// The same of \p schedule.
std::string plain(const struct gomp_amp_schedule &schedule) {
  std::string out = schedule.monotonic      ? "monotonic:"
                    : schedule.nonmonotonic ? "nonmonotonic:"
                                            : "";
  out += rowOf(schedule.kind).name;
  if (schedule.chunk)
    out += "," + std::to_string(schedule.chunk);
  else if (schedule.arg)
    out += ",";
  if (schedule.arg)
    out += "," + std::to_string(schedule.arg);
  return out;
}

/// \p schedule as OMP_DISPLAY_ENV shows it; the modifier is upstream's part of that.
std::string shown(const struct gomp_amp_schedule &schedule) {
  char text[128] = {};
  FILE *stream = fmemopen(text, sizeof text, "w");
  gomp_amp_schedule_arg[GOMP_AMP_SCHEDULE_INDEX(schedule.kind)] = schedule.arg;
  gomp_amp_display_schedule(stream, schedule.kind, schedule.chunk);
  fclose(stream);
  return (schedule.monotonic ? "MONOTONIC:" : "") + std::string(text);
}

void holdAccepted(const struct gomp_amp_schedule &schedule) {
  const Row &row = rowOf(schedule.kind);
  HOLD(schedule.chunk >= 0);
  HOLD(!(schedule.monotonic && schedule.nonmonotonic));
  HOLD(schedule.arg == 0 || (row.hasArg && schedule.arg <= row.max && schedule.arg >= row.min &&
                             (row.min != 0 || schedule.arg >= schedule.chunk)));

  struct gomp_amp_schedule again;
  HOLD(gomp_amp_parse_schedule(shown(schedule).c_str(), &again) == GOMP_AMP_PARSE_OK);
  HOLD(again.kind == schedule.kind && again.chunk == schedule.chunk);
  HOLD(again.arg == schedule.arg && again.monotonic == schedule.monotonic);

  const int arg = gomp_amp_schedule_effective_arg(schedule.kind, schedule.chunk);
  HOLD(schedule.arg == 0 || arg == schedule.arg);
  HOLD(row.hasArg ? arg >= 1 && arg <= row.max : arg == 0);
  HOLD(!row.hasArg || row.min != 0 || arg >= schedule.chunk);
  int chunk = schedule.chunk;
  HOLD(gomp_amp_set_schedule(schedule.kind, &chunk) == 1 && chunk == schedule.chunk);
}

/// What GOMP_AMP_SCHEDULE takes survives display and parsing; of our schedules it takes what
/// OMP_SCHEDULE does.
void holdRouted(const std::string &value, enum gomp_amp_parse plain) {
  struct gomp_amp_schedule schedule, again, untouched;
  std::memset(&schedule, 0x5a, sizeof schedule);
  std::memset(&untouched, 0x5a, sizeof untouched);
  if (!gomp_amp_parse_routed_schedule(value.c_str(), &schedule)) {
    HOLD(plain != GOMP_AMP_PARSE_OK);
    HOLD(std::memcmp(&schedule, &untouched, sizeof schedule) == 0);
    return;
  }
  const bool ours = (schedule.kind & GOMP_AMP_SCHEDULE_ROUTED) != 0;
  HOLD(ours == (plain == GOMP_AMP_PARSE_OK));
  HOLD(ours || (schedule.kind >= 1 && schedule.kind <= 4 && schedule.arg == 0));
  HOLD(schedule.chunk >= 0);
  char text[128] = {};
  FILE *stream = fmemopen(text, sizeof text, "w");
  if (ours)
    gomp_amp_schedule_arg[GOMP_AMP_SCHEDULE_INDEX(schedule.kind)] = schedule.arg;
  gomp_amp_display_routed_schedule(stream, &schedule);
  fclose(stream);
  HOLD(gomp_amp_parse_routed_schedule(text, &again));
  HOLD(again.kind == schedule.kind && again.chunk == schedule.chunk && again.arg == schedule.arg);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string value(std::string(data, data + size).c_str());
  struct gomp_amp_schedule schedule, untouched;
  std::memset(&schedule, 0x5a, sizeof schedule);
  std::memset(&untouched, 0x5a, sizeof untouched);
  const enum gomp_amp_parse result = gomp_amp_parse_schedule(value.c_str(), &schedule);
  holdRouted(value, result);
  if (result == GOMP_AMP_PARSE_OK) {
    HOLD(plain(value) == plain(schedule));
    holdAccepted(schedule);
  } else {
    HOLD(std::memcmp(&schedule, &untouched, sizeof schedule) == 0);
  }
  return 0;
}
