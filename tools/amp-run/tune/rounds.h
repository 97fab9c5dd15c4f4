// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of --tune: each way once a round, so that what disturbs the machine meets all ways
// alike.
#pragma once

#include "amp-run/tune/compare.h"
#include "amp-run/tune/take-way.h"

#include <limits>
#include <string>
#include <vector>

namespace amp {

struct TuneOptions {
  int rounds = 3;
  double budget = 600;              // seconds, of all runs together
  std::vector<std::string> outputs; // files that the program writes
  std::string reset;                // a command for the shell, before each run; empty: none
};

struct Trial {
  const Way *way;
  std::vector<double> seconds; // of each round
  std::string left_out;        // why it is not tried any further; empty: it is
  std::vector<double> gains;   // how many times faster than plain, of each round
  double median_seconds = 0, median_gain = 0;
};

struct Rounds {
  std::vector<Trial> trials; // the first is plain
  std::size_t complete = 0;  // rounds that every way in the end had
  std::string stopped;       // why there are fewer rounds than asked for; empty: there are not
};

// Runs PROGRAM with COMMAND as its arguments in all WAYS, the first of which is plain. Throws
// Failure if it cannot be run, or if plain runs fail.
Rounds run_rounds(const TuneOptions &options, const std::string &program, const Command &command,
                  const Target &target, const Machine &machine,
                  const std::vector<const Way *> &ways);

// How many seconds a run may take if the best one so far took BEST: half as long again, or a
// second.
double limit_for(double best);

// Computes gains and medians of the complete rounds.
void sum_up(Rounds &rounds);

// The trial to remember: the one that gains most, of those that gain 3 % in the median and in two
// of three rounds; of two that are less than 3 % apart the earlier, as the later ways change more
// of how a program runs. Plain if none does. Null if there were too few rounds.
const Trial *best_of(const Rounds &rounds);

} // namespace amp
