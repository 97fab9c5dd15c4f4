// SPDX-License-Identifier: GPL-3.0-or-later
// A directory for the files of an input; gone when the process ends.
#pragma once

#include <cstdlib>
#include <filesystem>

#include "hold.h"

struct Scratch {
  Scratch() {
    char name[] = "/dev/shm/amp-fuzz-XXXXXX";
    HOLD(mkdtemp(name) != nullptr);
    path = name;
  }
  ~Scratch() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};
