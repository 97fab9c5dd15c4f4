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
#include "options.h"
#include "schedules.h"
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
#include "options.def"
};

std::string folded(std::string text) {
  for (char &c : text)
    c = c == '-' ? '_' : c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return text;
}

/// Each takeTYPE holds what was read of \p value, which has no blanks around it, against what
/// should have been; puts the default back, so that all is freed; and returns whether it should
/// have been accepted.

bool takeNUMBER(const std::string &value, const char *, unsigned long min, unsigned long max,
                unsigned long &field, unsigned long def) {
  const auto number = oracle::number(value, max);
  const bool good = number && *number >= min;
  HOLD(field == (good ? *number : def));
  HOLD(field >= min && field <= max);
  field = def;
  return good;
}

bool takeKEYWORD(const std::string &value, const char *name, unsigned long, unsigned long,
                 int &field, int def) {
  for (const Keyword &each : keywords)
    if (std::strcmp(each.field, name) == 0 && folded(each.name) == folded(value)) {
      HOLD(field == each.value);
      field = def;
      return true;
    }
  HOLD(field == def);
  return false;
}

bool takeTEXT(const std::string &value, const char *, unsigned long, unsigned long,
              const char *&field, const char *def) {
  HOLD(value.empty() ? field == nullptr : field == value);
  free(const_cast<char *>(field));
  field = def;
  return !value.empty();
}

bool takeFILE(const std::string &value, const char *, unsigned long, unsigned long,
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
bool takeSCHEDULE(const std::string &value, const char *, unsigned long, unsigned long,
                  struct gomp_amp_schedule &field, const struct gomp_amp_schedule &def) {
  struct gomp_amp_schedule parsed = def;
  const bool good = gomp_amp_parse_routed_schedule(value.c_str(), &parsed);
  HOLD(field.kind == parsed.kind && field.chunk == parsed.chunk && field.arg == parsed.arg);
  HOLD(field.monotonic == parsed.monotonic && field.nonmonotonic == parsed.nonmonotonic);
  field = def;
  return good;
}

bool takeSF_LIST(const std::string &value, const char *, unsigned long min, unsigned long max,
                 struct gomp_amp_sf_list &field, const struct gomp_amp_sf_list &def) {
  auto factors = oracle::factors(value, min, max);
  if (!factors) {
    HOLD(field.count == 0 && field.text == nullptr);
    return false;
  }
  HOLD(field.count == factors->rbegin()->first + 1);
  factors->emplace(0, 1);
  for (unsigned i = 0; i < GOMP_AMP_MAX_CLASSES; i++) {
    const auto given = factors->find(i);
    HOLD(std::fabs(field.sf[i] - (given == factors->end() ? 0 : given->second)) < 1e-9);
    HOLD(field.sf[i] == 0 || (field.sf[i] >= min && field.sf[i] <= max));
  }
  HOLD(field.text == value);
  free(const_cast<char *>(field.text));
  field = def;
  return true;
}

bool takeCLASS_LIST(const std::string &value, const char *, unsigned long, unsigned long,
                    struct gomp_amp_class_list &field, const struct gomp_amp_class_list &def) {
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

const char *const names[] = {
#define GOMP_AMP_OPTION(field, name, type, def, min, max, accepted, help) name,
#include "options.def"
};

void holdMessages(const std::vector<std::string> &said, bool accepted, const char *name) {
  HOLD(said.size() == (accepted ? 0 : 1));
  if (accepted)
    return;
  HOLD(said[0].find(std::string("variable ") + name + ": accepted is ") != std::string::npos);
  for (char c : said[0])
    HOLD(c >= ' ' && c <= '~');
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  const char *chosen = names[data[0] % std::size(names)];
  const std::string raw(std::string(data + 1, data + size).c_str());
  const std::string value = oracle::trim(raw);
  setenv(chosen, raw.c_str(), 1);
  gomp_amp_init_options();
  unsetenv(chosen);
#define GOMP_AMP_OPTION(field, name, type, def, min, max, accepted, help)                          \
  if (std::strcmp(name, chosen) == 0) {                                                            \
    const bool good = take##type(value, #field, min, max, gomp_amp_options.field, defaults.field); \
    holdMessages(takeMessages(), good, name);                                                      \
  }
#include "options.def"
  // No other option has changed.
  HOLD(std::memcmp(&gomp_amp_options, &defaults, sizeof defaults) == 0);
  return 0;
}
