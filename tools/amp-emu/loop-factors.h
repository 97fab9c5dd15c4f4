// SPDX-License-Identifier: GPL-3.0-or-later
// The loops that have speedup factors of their own on a virtual machine: the file of --sf-file.
#pragma once

#include "amp-emu/machine.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace amp {

constexpr double min_factor = 0.001, max_factor = 1000;

// One line of the file, or of the file of demands (demand.h).
struct LoopFactors {
  int number;                         // of the line, from 1
  std::string site;                   // as written, for messages
  std::string name;                   // MODULE; empty: all code without a line
  std::uint64_t where;                // OFFSET
  std::map<unsigned, double> factors; // of every class; 0 is the slowest
};

// Parses TEXT, lines `MODULE+0xOFFSET class:SF,...`, the form that GOMP_AID_SF_SAVE writes, or
// `program class:SF,...`, for all code that has no line of its own. A comment starts with '#', and
// %XX in a name is the character with that number. A factor of class 0 that is not given is 1.
// Another factor that is not given is that of class 0 times the ratio of the classes' speeds on
// MACHINE. Throws std::invalid_argument, whose message starts with the number of the line, for a
// line of another form, a class that MACHINE does not have or that is named twice, a factor outside
// min_factor..max_factor, and a loop that already has a line.
std::vector<LoopFactors> parse_loop_factors(const std::string &text, const Machine &machine);

// A line without factors: SITE on line NUMBER, MODULE+0xOFFSET. Otherwise throws
// std::invalid_argument, whose message starts with NUMBER.
LoopFactors parse_loop_site(int number, const std::string &site);

struct ResolvedFactors {
  std::string text;    // for the library, in its format (sf-lines.h)
  std::string warning; // about lines that are left out; empty if there are none
};

// Finds the loops of LINES in PROGRAM, an executable file, and in the libraries that the loader
// would load for it now, except LIBRARY. Lines of other modules are left out, with a warning.
// Throws std::invalid_argument, whose message starts with the number of the line, if no line is
// left.
ResolvedFactors resolve_loop_factors(const std::vector<LoopFactors> &lines,
                                     const std::string &program, const std::string &library);

} // namespace amp
