// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a number that is all of a text, in no locale and with none of the forms of strtod.
#pragma once

#include <charconv>
#include <string>
#include <string_view>

namespace amp {

constexpr const char *decimal_digits = "0123456789";
constexpr const char *decimal_fraction = "0123456789.";

// Sets VALUE and returns true if TEXT, all of it, is a number of characters of ALPHABET alone that
// T can hold; else VALUE is left as it was.
template <typename T> bool read_number(std::string_view text, const char *alphabet, T &value) {
  const char *const end = text.data() + text.size();
  if (text.find_first_not_of(alphabet) != text.npos)
    return false;
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end;
}

// The shortest decimal without an exponent that reads as VALUE, which is finite.
std::string format_decimal(double value);

} // namespace amp
