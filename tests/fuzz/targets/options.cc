// SPDX-License-Identifier: GPL-3.0-or-later
// Fuzzes every row of options.def: the first byte of an input says which, the rest is its value.

#include "hold.h"
#include "messages.h"
#include "oracle.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

extern "C" {
#include "options/option-table.h"
#include "options/schedules.h"
}

namespace {

const struct gomp_amp_options defaults = gomp_amp_options;

struct Keyword {
  const char *field;
  const char *name;
  int value;
};

const Keyword keywords[] = {
#define GOMP_AMP_KEYWORD(field, name, ident) {#field, name, GOMP_AMP_##ident},
#include "options/options.def"
};

std::string folded(std::string text) {
  for (char &c : text)
    c = c == '-' ? '_' : c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return text;
}

/// A type of options, as a type of C++.
template <gomp_amp_option_type> struct Type {};

/// Stands for each type that has no function of its own below.
struct AnyType {
  template <gomp_amp_option_type type> AnyType(Type<type>) {}
};

std::string shown(const gomp_amp_option &option) {
  char text[8192] = "";
  FILE *stream = fmemopen(text, sizeof text, "w");
  gomp_amp_show_option(&option, stream);
  fclose(stream);
  return text;
}

/// Each function `take` holds what was read of \p value, which has no blanks around it, against
/// what should have been; puts the default back, so that all is freed; and returns whether the
/// value should have been accepted.

/// Of any type: what is shown is accepted again, and shown alike. \p accepted is believed.
template <class Field>
bool take(AnyType, const gomp_amp_option &option, const std::string &, bool accepted, Field &field,
          const Field &def) {
  if (accepted) {
    const std::string text = shown(option);
    HOLD(gomp_amp_parse_option(&option, text.c_str()));
    HOLD(shown(option) == text);
  } else
    HOLD(std::memcmp(&field, &def, sizeof field) == 0);
  field = def;
  return accepted;
}

bool take(Type<GOMP_AMP_TYPE_NUMBER>, const gomp_amp_option &option, const std::string &value, bool,
          unsigned long &field, unsigned long def) {
  const auto number = oracle::number(value, option.max);
  const bool good = number && *number >= option.min;
  HOLD(field == (good ? *number : def));
  HOLD(field >= option.min && field <= option.max);
  field = def;
  return good;
}

bool take(Type<GOMP_AMP_TYPE_KEYWORD>, const gomp_amp_option &option, const std::string &value,
          bool, int &field, int def) {
  for (const Keyword &each : keywords)
    if (std::strcmp(each.field, option.field) == 0 && folded(each.name) == folded(value)) {
      HOLD(field == each.value);
      field = def;
      return true;
    }
  HOLD(field == def);
  return false;
}

bool take(Type<GOMP_AMP_TYPE_TEXT>, const gomp_amp_option &, const std::string &value, bool,
          const char *&field, const char *def) {
  HOLD(value.empty() ? field == nullptr : field == value);
  free(const_cast<char *>(field));
  field = def;
  return !value.empty();
}

bool take(Type<GOMP_AMP_TYPE_FILE>, const gomp_amp_option &, const std::string &value, bool,
          const char *&field, const char *def) {
  if (value.empty()) {
    HOLD(field == nullptr);
    return false;
  }
  const std::string name = field;
  HOLD(name[0] == '/');
  HOLD(value[0] == '/' ? name == value
                       : name.size() > value.size() + 1 &&
                             name.substr(name.size() - value.size() - 1) == "/" + value);
  free(const_cast<char *>(field));
  field = def;
  return true;
}

/// What the parser makes of a value is held by the target `schedule`.
bool take(Type<GOMP_AMP_TYPE_SCHEDULE>, const gomp_amp_option &, const std::string &value, bool,
          gomp_amp_schedule &field, const gomp_amp_schedule &def) {
  struct gomp_amp_schedule parsed = def;
  const bool good = gomp_amp_parse_routed_schedule(value.c_str(), &parsed);
  HOLD(field.kind == parsed.kind && field.chunk == parsed.chunk && field.arg == parsed.arg);
  HOLD(field.monotonic == parsed.monotonic && field.nonmonotonic == parsed.nonmonotonic);
  field = def;
  return good;
}

bool take(Type<GOMP_AMP_TYPE_SF_LIST>, const gomp_amp_option &option, const std::string &value,
          bool, gomp_amp_sf_list &field, const gomp_amp_sf_list &def) {
  auto factors = oracle::factors(value, option.min, option.max);
  if (!factors) {
    HOLD(field.count == 0 && field.text == nullptr);
    return false;
  }
  HOLD(field.count == factors->rbegin()->first + 1);
  factors->emplace(0, 1);
  for (unsigned i = 0; i < GOMP_AMP_MAX_CLASSES; i++) {
    const auto given = factors->find(i);
    HOLD(std::fabs(field.sf[i] - (given == factors->end() ? 0 : given->second)) < 1e-9);
    HOLD(field.sf[i] == 0 || (field.sf[i] >= option.min && field.sf[i] <= option.max));
  }
  HOLD(field.text == value);
  free(const_cast<char *>(field.text));
  field = def;
  return true;
}

bool take(Type<GOMP_AMP_TYPE_CLASS_LIST>, const gomp_amp_option &, const std::string &value, bool,
          gomp_amp_class_list &field, const gomp_amp_class_list &def) {
  std::vector<unsigned> classes;
  for (const std::string &item : oracle::split(value, ',')) {
    const auto cls = oracle::number(oracle::trim(item), GOMP_AMP_MAX_CLASSES - 1);
    if (!cls) {
      HOLD(field.count == 0 && field.member == nullptr && field.text == nullptr);
      return false;
    }
    classes.push_back(*cls);
  }
  HOLD(field.count == classes.size());
  HOLD(std::equal(classes.begin(), classes.end(), field.member));
  HOLD(field.classes == *std::max_element(classes.begin(), classes.end()) + 1);
  HOLD(field.text == value);
  free(field.member);
  free(const_cast<char *>(field.text));
  field = def;
  return true;
}

void holdMessages(const std::vector<std::string> &said, bool accepted, const char *name) {
  HOLD(said.size() == (accepted ? 0 : 1));
  if (accepted)
    return;
  HOLD(said[0].find(std::string(name) + ": '") == 0);
  HOLD(said[0].find("': expected ") != std::string::npos);
  for (char c : said[0])
    HOLD(c >= ' ' && c <= '~');
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  const gomp_amp_option &option = gomp_amp_option_table[data[0] % gomp_amp_option_count];
  const std::string raw(std::string(data + 1, data + size).c_str());
  const std::string value = oracle::trim(raw);
  const char *chosen = option.name;
  setenv(chosen, raw.c_str(), 1);
  gomp_amp_init_options();
  unsetenv(chosen);
  const auto said = takeMessages();
  for (char c : shown(option))
    HOLD(c >= ' ' && c <= '~');
#define GOMP_AMP_OPTION(field, name, type, def, min, max, expected, help)                          \
  if (std::strcmp(name, chosen) == 0)                                                              \
    holdMessages(said,                                                                             \
                 take(Type<GOMP_AMP_TYPE_##type>(), option, value, said.empty(),                   \
                      gomp_amp_options.field, defaults.field),                                     \
                 name);
#include "options/options.def"
  // No other option has changed.
  HOLD(std::memcmp(&gomp_amp_options, &defaults, sizeof defaults) == 0);
  return 0;
}
