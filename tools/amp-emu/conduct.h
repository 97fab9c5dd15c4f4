// SPDX-License-Identifier: GPL-3.0-or-later
// Several programs on one virtual machine, each in its own virtual time between two decisions of a
// policy about its cores.
#pragma once

#include "amp-emu/machine.h"
#include "common/command.h"

#include <nlohmann/json.hpp>
#include <optional>
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

// How programs get cores.
struct Manager {
  std::string policy;
  std::optional<int> period_ms; // between two decisions; the policy's own unless given
  std::string table;            // a file with the speeds of programs, by name
};

// Throws Failure, with what is expected, unless MANAGER has a policy that gives programs cores, and
// a table of MACHINE.
void check_manager(const Manager &manager, const Machine &machine);

// Runs PROGRAMS on the virtual library, whose variables are set but for the conductor's. Returns
// when each of them began and ended, its exit status, and who had which cores when.
nlohmann::ordered_json conduct(const std::vector<Conducted> &programs, const Manager &manager,
                               const Machine &machine);

} // namespace amp
