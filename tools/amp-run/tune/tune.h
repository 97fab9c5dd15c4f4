// SPDX-License-Identifier: GPL-3.0-or-later
// amp-run --tune, --known, --forget, and what entries decide for a program.
#pragma once

#include "amp-run/tune/entries.h"
#include "amp-run/tune/rounds.h"

#include <iosfwd>
#include <string>

namespace amp {

constexpr int exit_not_remembered = 1; // --tune came to no result, or could not write it

// Runs PROGRAM with COMMAND as its arguments in all ways that apply, prints a table to STREAM and
// remembers the best way in the user's file. Returns 0 or exit_not_remembered. Throws Failure if
// there is nothing to try or plain runs fail.
int tune(const TuneOptions &options, const std::string &program, const Command &command,
         const std::string &library, std::ostream &stream);

// Prints the entries about TARGET, or all if it is null, and which of them decides.
void show_known(const Target *target, std::ostream &stream);

// Removes the user's entries about TARGET. Returns whether there were any.
bool forget(const Target &target, std::ostream &stream);

// Which ways --tune would try for a program with TRAITS: "plain, bound, fast".
std::string names_of_ways(const Traits &traits, const Machine &machine);

// The seconds in TEXT: a number with s, m or h behind it, or without. Throws Failure.
double parse_duration(const std::string &text);

} // namespace amp
