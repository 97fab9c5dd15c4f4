// SPDX-License-Identifier: GPL-3.0-or-later
// A program's time on each number of cores of each class: what the allocating policies go by.
#pragma once

#include "common/command.h"

namespace CLI {
class App;
}

namespace amp {

struct ProfileOptions {
  std::string name, output, classes;
  int rounds = 3;
};

void add_profile_options(CLI::App &command, ProfileOptions &options);
int profile(const ProfileOptions &options, const Command &command);

} // namespace amp
