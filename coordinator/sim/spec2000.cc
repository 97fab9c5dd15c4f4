// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/spec2000.h"

#include "model/miss_model.h"

#include <algorithm>
#include <stdexcept>

namespace coord {

namespace {

struct Row {
  std::string_view name;
  double factor; // on AMD: 2.3 over 1.15 GHz
};

constexpr Row kPrograms[] = {
    {"crafty", 2.00},  {"sixtrack", 2.00}, {"vortex", 2.00}, {"twolf", 2.00},  {"eon", 1.97},
    {"mesa", 1.96},    {"perlbmk", 1.96},  {"gap", 1.88},    {"parser", 1.88}, {"gcc", 1.88},
    {"bzip2", 1.88},   {"gzip", 1.87},     {"apsi", 1.80},   {"ammp", 1.80},   {"mgrid", 1.75},
    {"wupwise", 1.70}, {"vpr", 1.70},      {"fma3d", 1.68},  {"swim", 1.53},   {"lucas", 1.51},
    {"applu", 1.45},   {"art", 1.43},      {"mcf", 1.40},    {"equake", 1.32},
};

// mcf: phases with many instructions per cycle, a quarter of its time, and others; together its
// factor is 1.40.
constexpr double kMcfHigh = 1.90, kMcfLow = 1.25, kMcfCycle = 40;

// What a migration has to fetch again. The programs with the larger set are those of CPU2000 that
// reuse most of a cache of 2 MB. With it and HAFS's quantum HAFS loses 6 % on the worst program of
// AMD-2,2, as the paper says.
constexpr double kLargeSet = 2.0 * (1 << 20), kSmallSet = 0.25 * (1 << 20);
constexpr std::string_view kReuse[] = {"twolf", "art", "mcf", "vpr", "ammp"};

double on_machine(const Machine &machine, double factor) {
  const Machine amd = spec_machine("AMD-2,2");
  if (machine.classes.back().ghz == amd.classes.back().ghz)
    return factor;
  return miss_factors(machine, misses_of_factor(amd, factor) / 2).back();
}

// Phases with more and with fewer instructions per cycle follow each other, with a length of its
// own for each program (seconds on a slow core). Speedups are not affected.
constexpr double kShortest = 0.8, kLongest = 1.5;

// Appends WORK of FACTOR to PROGRAM.
void add_phases(const Machine &machine, Program &program, double work, double factor, double length,
                double swing) {
  const double misses = misses_of_factor(machine, factor);
  for (double done = 0; done < work - 1e-9; done += length)
    program.phases.push_back({std::min(length, work - done),
                              {1, factor},
                              misses,
                              1 + (program.phases.size() % 2 ? swing : -swing)});
}

} // namespace

Machine spec_machine(std::string_view name) {
  if (name == "AMD-2,2")
    return parse_machine("2x2.3+2x1.15", 1, 2 << 20, 16);
  if (name == "Intel-2,2")
    return parse_machine("2x3.0+2x2.0", 1, 4 << 20, 16);
  if (name == "AMD-12,4")
    return parse_machine("4x2.3+12x1.15", 4, 2 << 20, 16);
  throw std::invalid_argument("'" + std::string(name) +
                              "': expected AMD-2,2, Intel-2,2 or AMD-12,4");
}

const std::vector<SpecWorkload> &spec_set1() {
  static const std::vector<SpecWorkload> set = {
      {"HH1", {"sixtrack", "crafty", "mcf", "equake"}, 4},
      {"HH2", {"gzip", "sixtrack", "mcf", "swim"}, 4},
      {"HH3", {"mesa", "perlbmk", "equake", "swim"}, 4},
      {"MH1", {"vortex", "twolf", "fma3d", "art"}, 4},
      {"MH2", {"gap", "parser", "applu", "vpr"}, 4},
      {"MH3", {"apsi", "ammp", "lucas", "mgrid"}, 4},
      {"MH4", {"bzip2", "gcc", "wupwise", "art"}, 4},
  };
  return set;
}

const std::vector<SpecWorkload> &spec_set2() {
  static const std::vector<SpecWorkload> set = {
      {"W1",
       {"sixtrack", "crafty", "eon", "gzip", "twolf", "mesa", "parser", "bzip2", "gap", "vortex",
        "ammp", "mgrid", "gcc", "apsi", "vpr", "wupwise"},
       1},
      {"W2",
       {"sixtrack", "crafty", "twolf", "perlbmk", "mesa", "parser", "bzip2", "gap", "vortex",
        "ammp", "mgrid", "apsi", "vpr", "wupwise", "fma3d", "art"},
       1},
      {"W3",
       {"gzip", "bzip2", "parser", "gap", "vortex", "ammp", "mgrid", "gcc", "apsi", "vpr",
        "wupwise", "fma3d", "art", "applu", "swim", "lucas"},
       1},
      {"W4",
       {"eon", "gzip", "perlbmk", "gap", "mgrid", "gcc", "apsi", "vpr", "wupwise", "fma3d", "art",
        "applu", "swim", "lucas", "mcf", "equake"},
       1},
      {"W5",
       {"gzip", "sixtrack", "crafty", "perlbmk", "gap", "mgrid", "apsi", "vpr", "wupwise", "fma3d",
        "art", "applu", "swim", "lucas", "mcf", "equake"},
       1},
      {"W6",
       {"parser", "gap", "vortex", "ammp", "mgrid", "gcc", "apsi", "vpr", "wupwise", "fma3d", "art",
        "applu", "swim", "lucas", "mcf", "equake"},
       1},
      {"W7",
       {"sixtrack", "crafty", "twolf", "mesa", "gap", "mgrid", "apsi", "vpr", "wupwise", "fma3d",
        "art", "applu", "swim", "lucas", "mcf", "equake"},
       1},
      {"W8", {"sixtrack", "crafty", "art", "applu", "swim", "lucas", "mcf", "equake"}, 2},
  };
  return set;
}

double spec_factor(const Machine &machine, std::string_view name) {
  for (const Row &row : kPrograms)
    if (row.name == name)
      return on_machine(machine, row.factor);
  throw std::invalid_argument("'" + std::string(name) + "': expected a program of SPEC CPU2000");
}

Program spec_program(const Machine &machine, std::string_view name, double work, double swing) {
  Program program;
  program.name = name;
  program.working_set = std::ranges::find(kReuse, name) != std::end(kReuse) ? kLargeSet : kSmallSet;
  const double factor = spec_factor(machine, name);
  program.profile.factors = {1, factor};
  program.profile.misses = misses_of_factor(machine, factor);
  const auto row = std::ranges::find(kPrograms, name, &Row::name);
  const double length = kShortest + (kLongest - kShortest) * static_cast<double>(row - kPrograms) /
                                        std::size(kPrograms);
  if (name != "mcf") {
    add_phases(machine, program, work, factor, length, swing);
    return program;
  }
  // The part of the work that is in high phases, so that the whole has the factor 1.40.
  const double high = (1 / kMcfLow - 1 / 1.40) / (1 / kMcfLow - 1 / kMcfHigh);
  for (double done = 0; done < work; done += kMcfCycle) {
    const double cycle = std::min(kMcfCycle, work - done);
    add_phases(machine, program, cycle * (1 - high), on_machine(machine, kMcfLow), kMcfCycle, 0);
    add_phases(machine, program, cycle * high, on_machine(machine, kMcfHigh), kMcfCycle, 0);
  }
  return program;
}

} // namespace coord
