// SPDX-License-Identifier: GPL-3.0-or-later
// What the library's parsers and its table of classes should say, worked out by other means than
// theirs.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

extern "C" {
#include "machine/machine-source.h"
}

namespace oracle {

bool blank(char c);

/// \p text without the blanks around it.
std::string trim(const std::string &text);

/// \p text cut at each \p separator; one part if there is none.
std::vector<std::string> split(const std::string &text, char separator);

/// \p text as a number of at most \p max if it consists of digits.
std::optional<unsigned long> number(const std::string &text, unsigned long max);

/// \p text as a number of at most \p max if it is digits, or digits.digits.
std::optional<double> decimal(const std::string &text, double max);

/// \p text as class:SF,... with SF in \p min .. \p max; blanks may be around each part.
std::optional<std::map<unsigned, double>> factors(const std::string &text, double min, double max);

/// The first and the last CPU of N or N-M.
std::optional<std::pair<unsigned long, unsigned long>> range(const std::string &text);

/// The CPUs below \p cpus of a list such as 0-3,8, which may be empty.
std::optional<std::set<unsigned>> cpus(const std::string &text, unsigned cpus);

/// Hold \p machine against the values (0: not known) that its classes came from. With \p capacities
/// the values are that, and not ranks or numbers that tell of favoured cores.
void holdMachine(const struct gomp_amp_machine &machine, const std::vector<unsigned long> &values,
                 bool capacities);

/// Hold the allotment that \p mask makes of \p machine, and the order in which threads are bound.
void holdAllotment(const struct gomp_amp_machine &machine, const std::vector<bool> &mask);

} // namespace oracle
