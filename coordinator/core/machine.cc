// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/machine.h"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <stdexcept>

namespace coord {

namespace {

struct Term {
  int count;
  double ghz;
};

Term parse_term(std::string_view term, std::string_view text) {
  Term parsed{};
  const char *const end = term.data() + term.size();
  const auto count = std::from_chars(term.data(), end, parsed.count);
  if (count.ec == std::errc() && count.ptr != end && *count.ptr == 'x') {
    const auto ghz = std::from_chars(count.ptr + 1, end, parsed.ghz);
    if (ghz.ec == std::errc() && ghz.ptr == end && parsed.count >= 1 && parsed.count <= 4096 &&
        parsed.ghz > 0 && parsed.ghz <= 1000)
      return parsed;
  }
  throw std::invalid_argument(
      "'" + std::string(text) +
      "': expected terms COUNTxGHZ joined by +, as in 4x3.0+4x1.0; COUNT 1 to 4096, GHZ above 0");
}

} // namespace

Machine parse_machine(std::string_view text, int share, double bytes) {
  std::vector<Term> terms;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find('+', from), text.size());
    terms.push_back(parse_term(text.substr(from, to - from), text));
    from = to + 1;
  }
  Machine machine;
  for (const Term &term : terms)
    if (std::ranges::find(machine.classes, term.ghz, &CoreClass::ghz) == machine.classes.end())
      machine.classes.push_back({term.ghz, 0});
  std::ranges::sort(machine.classes, {}, &CoreClass::ghz);
  for (const Term &term : terms) {
    const auto found = std::ranges::find(machine.classes, term.ghz, &CoreClass::ghz);
    found->cores += term.count;
    for (int i = 0; i < term.count; i++) {
      if (share > 0 ? i % share == 0 : i == 0)
        machine.llcs.push_back({bytes, 0});
      machine.llcs.back().cores++;
      machine.cores.push_back({static_cast<int>(found - machine.classes.begin()),
                               static_cast<int>(machine.llcs.size()) - 1});
    }
  }
  return machine;
}

std::string machine_name(const Machine &machine) {
  std::ostringstream name;
  for (int c = machine.fastest(); c >= 0; c--)
    name << (c == machine.fastest() ? "" : "+") << machine.classes[c].cores << 'x'
         << machine.classes[c].ghz;
  return name.str();
}

} // namespace coord
