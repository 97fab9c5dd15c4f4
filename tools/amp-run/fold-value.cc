// SPDX-License-Identifier: GPL-3.0-or-later
// Parses values of GOMP_AMP_FOLD with the library's table of options, which is linked in.
#include "amp-run/fold-value.h"

extern "C" {
#include "base/parse.h"
#include "options/option-table.h"
}

namespace amp {

std::optional<std::string> fault_of_fold(const std::string &value) {
  const gomp_amp_option *const option = gomp_amp_find_option("GOMP_AMP_FOLD");
  if (gomp_amp_parse_option(option, value.c_str()))
    return std::nullopt;
  char shown[65];
  gomp_amp_printable(shown, sizeof shown, value.c_str());
  return std::string("'") + shown + "': expected " + gomp_amp_expected(option);
}

bool folds_teams(const char *value) {
  return value && !fault_of_fold(value) && gomp_amp_options.fold != 0;
}

} // namespace amp
