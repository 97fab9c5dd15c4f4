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

// One line of the file.
struct LoopFactors {
  int number;                         // of the line, from 1
  std::string site;                   // as written, for messages
  bool by_source;                     // whether it is SOURCE:LINE, or MODULE+0xOFFSET
  std::string name;                   // SOURCE or MODULE
  std::uint64_t where;                // LINE or OFFSET
  std::map<unsigned, double> factors; // of every class, 0 being the slowest
};

// Parses TEXT, lines `SOURCE:LINE class:SF,...` or `MODULE+0xOFFSET class:SF,...`, as
// GOMP_AID_SF_SAVE writes them; what follows a '#' is a comment, and %XX in a name is the
// character of that number. Class 0 has the factor 1 unless given, and others that are not given
// are as much faster as on MACHINE. Throws std::invalid_argument, whose message starts with the
// number of the line, for a line of another form, a class that MACHINE does not have or that is
// named twice, a factor outside of min_factor..max_factor, and a loop that has a line already.
std::vector<LoopFactors> parse_loop_factors(const std::string &text, const Machine &machine);

struct ResolvedFactors {
  std::string text;               // for the library, in its format (sf-lines.h)
  std::vector<std::string> found; // what loop each line of source was taken for
  std::string warning;            // of lines that are left out; empty if there are none
};

// Finds the loops of LINES in PROGRAM, an executable file, and the libraries that the loader
// would now give it, except for LIBRARY. Lines of other modules are left out, with a warning.
// Throws std::invalid_argument, whose message starts with the number of the line, for a line of
// source that is not that of a loop, and if no line at all is left.
ResolvedFactors resolve_loop_factors(const std::vector<LoopFactors> &lines,
                                     const std::string &program, const std::string &library);

} // namespace amp
