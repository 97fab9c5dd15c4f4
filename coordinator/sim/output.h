// SPDX-License-Identifier: GPL-3.0-or-later
// What a simulation is reported as: a summary for people, and CSV files.
#pragma once

#include "sim/engine.h"

#include <filesystem>

namespace coord {

// For each program: runs, mean time, slowdown against a run alone on the whole machine, CPU time by
// class, migrations; below them STP (sum of progress), ANTT (mean slowdown) and unfairness, over
// all runs.
std::string summary(const Scenario &scenario, const Result &result);

// Writes runs.csv, cores.csv and speed.csv into DIRECTORY, each first under another name. Throws
// std::filesystem::filesystem_error.
void write_csv(const Scenario &scenario, const Result &result,
               const std::filesystem::path &directory);

} // namespace coord
