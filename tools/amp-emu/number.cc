// SPDX-License-Identifier: GPL-3.0-or-later
// Writes numbers.
#include "amp-emu/number.h"

#include <limits>

namespace amp {

std::string format_decimal(double value) {
  char text[std::numeric_limits<double>::max_exponent10 + 32];
  return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::fixed).ptr};
}

} // namespace amp
