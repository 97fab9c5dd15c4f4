// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a number that is a whole text, without locales and without the other forms of strtod.
#pragma once

#include <charconv>
#include <string>
#include <string_view>

namespace amp {

constexpr const char *decimal_digits = "0123456789";
constexpr const char *decimal_fraction = "0123456789.";

// Sets VALUE and returns true if all of TEXT is a number that has only characters of ALPHABET and
// that T can hold. Otherwise VALUE does not change.
template <typename T> bool read_number(std::string_view text, const char *alphabet, T &value) {
  const char *const end = text.data() + text.size();
  if (text.find_first_not_of(alphabet) != text.npos)
    return false;
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end;
}

// The shortest decimal without an exponent that reads as VALUE. VALUE must be finite.
std::string format_decimal(double value);

} // namespace amp
