// SPDX-License-Identifier: GPL-3.0-or-later
// Compares outputs line by line.
#include "amp-run/tune/compare.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <unordered_set>

namespace amp {

namespace {

constexpr double tolerance = 1e-6;

std::vector<std::string> lines_of(const std::string &text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

// The length of the number at the start of TEXT, without a sign: digits, which may have a point and
// an exponent behind them. 0 if there is none.
std::size_t number_length(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && is_digit(text[at]))
    ++at;
  if (at == 0)
    return 0;
  if (at + 1 < text.size() && text[at] == '.' && is_digit(text[at + 1]))
    for (++at; at < text.size() && is_digit(text[at]);)
      ++at;
  std::size_t exponent = at;
  if (exponent < text.size() && std::string_view("eEdD").find(text[exponent]) != text.npos) {
    ++exponent;
    if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-'))
      ++exponent;
    if (exponent < text.size() && is_digit(text[exponent])) {
      while (exponent < text.size() && is_digit(text[exponent]))
        ++exponent;
      at = exponent;
    }
  }
  return at;
}

double value_of(std::string_view text) {
  std::string number(text);
  for (char &c : number)
    if (c == 'd' || c == 'D') // Fortran's exponent
      c = 'e';
  return std::strtod(number.c_str(), nullptr);
}

bool alike_numbers(std::string_view a, std::string_view b, ThreadCounts threads) {
  if (a == b)
    return true;
  const bool fraction = a.find_first_of(".eEdD") != a.npos || b.find_first_of(".eEdD") != b.npos;
  if (!fraction)
    return threads.count != threads.other && a == std::to_string(threads.count) &&
           b == std::to_string(threads.other);
  const double x = value_of(a), y = value_of(b);
  return std::isfinite(x) && std::isfinite(y) &&
         std::fabs(x - y) <= tolerance * std::max(std::fabs(x), std::fabs(y));
}

// TEXT without blanks at its start. Numbers that are set to the right have as many before them as
// their digits leave.
std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  return text;
}

std::vector<std::string> sorted(std::vector<std::string> lines) {
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::string shown(const std::string &line) {
  std::string text;
  for (const char c : line.substr(0, 60))
    text += std::isprint(static_cast<unsigned char>(c)) ? c : '?';
  return "'" + text + (line.size() > 60 ? "...'" : "'");
}

} // namespace

bool alike(std::string_view a, std::string_view b, ThreadCounts threads) {
  while (!a.empty() && !b.empty()) {
    const std::size_t in_a = number_length(a), in_b = number_length(b);
    if (in_a > 0 && in_b > 0) {
      if (!alike_numbers(a.substr(0, in_a), b.substr(0, in_b), threads))
        return false;
      a.remove_prefix(in_a);
      b.remove_prefix(in_b);
      continue;
    }
    if (a.front() == ' ' || b.front() == ' ') {
      const std::string_view behind_a = trimmed(a), behind_b = trimmed(b);
      if (number_length(behind_a) > 0 && number_length(behind_b) > 0) {
        a = behind_a;
        b = behind_b;
        continue;
      }
    }
    if (a.front() != b.front())
      return false;
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.empty() && b.empty();
}

void Reference::add(const std::string &text) {
  std::vector<std::string> lines = lines_of(text);
  if (any_order_)
    lines = sorted(std::move(lines));
  if (!any_) {
    any_ = true;
    lines_ = lines;
    varies_.assign(lines.size(), false);
    return;
  }
  const bool varied = std::count(varies_.begin(), varies_.end(), true) > 0;
  if (!any_order_ && !varied && lines != lines_ && sorted(lines) == sorted(lines_)) {
    any_order_ = true;
    lines_ = sorted(std::move(lines_));
    return;
  }
  same_number_ = same_number_ && lines.size() == lines_.size();
  const std::unordered_set<std::string> all(lines.begin(), lines.end());
  for (std::size_t i = 0; i < lines_.size(); ++i)
    if (same_number_ ? !alike(lines_[i], lines[i], {}) : !all.count(lines_[i]))
      varies_[i] = true;
}

std::optional<std::string> Reference::difference(const std::string &text,
                                                 ThreadCounts threads) const {
  std::vector<std::string> lines = lines_of(text);
  if (any_order_)
    lines = sorted(std::move(lines));
  if (same_number_) {
    for (std::size_t i = 0; i < std::min(lines.size(), lines_.size()); ++i)
      if (!varies_[i] && !alike(lines_[i], lines[i], threads))
        return (any_order_ ? "sorted, line " : "line ") + std::to_string(i + 1) + " is " +
               shown(lines[i]) + ", not " + shown(lines_[i]);
    if (lines.size() != lines_.size())
      return std::to_string(lines.size()) + " lines, not " + std::to_string(lines_.size());
    return std::nullopt;
  }
  const std::unordered_set<std::string> all(lines.begin(), lines.end());
  for (std::size_t i = 0; i < lines_.size(); ++i)
    if (!varies_[i] && !all.count(lines_[i]))
      return "line " + std::to_string(i + 1) + ", " + shown(lines_[i]) + ", is not there";
  return std::nullopt;
}

} // namespace amp
