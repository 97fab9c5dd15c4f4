// SPDX-License-Identifier: GPL-3.0-or-later
// Reads and writes descriptions of machines.
#include "amp-emu/machine.h"

#include "amp-emu/number.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace amp {

namespace {

[[noreturn]] void reject(std::string_view piece, const std::string &text, const std::string &why) {
  const std::string whole = piece == text ? "" : " of '" + text + "'";
  throw std::invalid_argument("'" + std::string(piece) + "'" + whole + " " + why);
}

CoreClass parse_class(std::string_view piece, const std::string &text) {
  const std::size_t cross = piece.find('x');
  CoreClass result{};
  if (cross == piece.npos || !read_number(piece.substr(0, cross), decimal_digits, result.cores) ||
      !read_number(piece.substr(cross + 1), decimal_fraction, result.speed))
    reject(piece, text,
           "is not COUNTxSPEED, such as 4x3.0; a machine is one or more of these joined by '+', "
           "the fastest first");
  if (result.cores < 1 || result.cores > max_cores)
    reject(piece, text, "does not have 1 to " + std::to_string(max_cores) + " cores");
  if (!(result.speed >= min_speed && result.speed <= max_speed))
    reject(piece, text,
           "does not have a speed of " + format_decimal(min_speed) + " to " +
               format_decimal(max_speed));
  return result;
}

} // namespace

Machine parse_machine(const std::string &text) {
  Machine machine;
  int cores = 0;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('+', begin), text.size());
    const std::string_view piece(text.data() + begin, end - begin);
    const CoreClass parsed = parse_class(piece, text);
    if (!machine.empty() && parsed.speed >= machine.back().speed)
      reject(piece, text, "is not slower than the class before it: the fastest comes first");
    if (machine.size() == max_classes)
      reject(piece, text, "makes it more than " + std::to_string(max_classes) + " classes");
    cores += parsed.cores;
    if (cores > max_cores)
      reject(piece, text, "makes it more than " + std::to_string(max_cores) + " cores");
    machine.push_back(parsed);
    begin = end + 1;
  }
  return machine;
}

std::string format_machine(const Machine &machine) {
  std::string text;
  for (const CoreClass &core_class : machine)
    text += (text.empty() ? "" : "+") + std::to_string(core_class.cores) + "x" +
            format_decimal(core_class.speed);
  return text;
}

} // namespace amp
