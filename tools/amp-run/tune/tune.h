// SPDX-License-Identifier: GPL-3.0-or-later
// amp-run --tune, --known and --forget. --tune runs each way once a round, so that what disturbs
// the machine meets all ways alike.
#pragma once

#include "amp-run/tune/compare.h"
#include "amp-run/tune/entries.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace amp {

struct TuneOptions {
  int rounds = 3;
  double budget = 600;              // seconds, of all runs together
  std::vector<std::string> outputs; // files that the program writes
  std::string reset;                // a command for the shell, before each run; empty: none
  bool accept_rounding = false;     // of ways with another number of threads
};

struct Trial {
  const Way *way;
  std::vector<double> seconds;  // of each round
  std::string left_out;         // why it is not taken; empty: it may be
  std::vector<Written> written; // what it wrote, of each round
  double gain = 0;              // how many times faster than plain, in the median
};

struct Rounds {
  std::vector<Trial> trials; // the first is plain
  std::size_t best = 0;      // of these
  std::string stopped;       // why there are fewer rounds than asked for; empty: there are not
  std::string compared;      // what was compared; empty: nothing could be
  std::vector<std::string> notes;

  // Whether they say which way is best.
  bool enough() const { return stopped.empty() || trials[0].seconds.size() > 1; }
};

// How many seconds a run may take if the best one so far took BEST: half as long again, or a
// second.
double limit_for(double best);

// The number of the trial to remember: the one that gains most, of those that gain for sure; of two
// that are less than 3 % apart the earlier, as the later ways change more of how a program runs.
// Plain if none does.
std::size_t best_of(const std::vector<Trial> &trials);

double median(std::vector<double> values);

enum class Verdict { no, undecided, gains };

// Less gain than this is none.
constexpr double least_gain = 1.03;

// Whether runs that took WAY seconds were faster than those that took PLAIN in the same rounds.
Verdict judge(const std::vector<double> &plain, const std::vector<double> &way);

// How many times faster than PLAIN WAY was, in the median of the rounds that both have.
double median_gain(const std::vector<double> &plain, const std::vector<double> &way);

constexpr int exit_not_remembered = 1; // --tune came to no result, or could not write it

// Runs PROGRAM in all ways that apply, prints a table to STREAM and remembers the best way in the
// user's file. Returns 0 or exit_not_remembered. Throws Failure if there is nothing to try or plain
// runs fail.
int tune(const TuneOptions &options, const Program &program, std::ostream &stream);

// Prints the entries about TARGET, or all if it is null, and which of them decides.
void show_known(const Target *target, std::ostream &stream);

// Removes the user's entries about TARGET. Returns whether there were any.
bool forget(const Target &target, std::ostream &stream);

// Which ways --tune would try for a program with TRAITS: "plain, bound, fast".
std::string names_of_ways(const Traits &traits, const Machine &machine);

// The seconds in TEXT: a number with s, m or h behind it, or without. Throws Failure.
double parse_duration(const std::string &text);

} // namespace amp
