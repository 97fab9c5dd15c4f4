// SPDX-License-Identifier: GPL-3.0-or-later
// Several programs on one virtual machine, each in its own virtual time between two decisions of a
// policy about its cores.
#pragma once

#include "amp-emu/machine.h"
#include "common/command.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace amp {

struct Conducted {
  double at_s = 0; // when it starts
  Command command;
};

// The programs of COMMAND, which are parted by words ':'; "@0.5s" before one is when it starts.
// Throws Failure.
std::vector<Conducted> split_programs(const Command &command);

// Throws Failure, with what is expected, unless POLICY is one that gives programs cores.
void check_policy(const std::string &policy);

// Runs PROGRAMS on the virtual library, whose variables are set but for the conductor's. Returns
// when each of them began and ended, its exit status, and who had which cores when.
nlohmann::ordered_json conduct(const std::vector<Conducted> &programs, const std::string &policy,
                               const Machine &machine);

} // namespace amp
