// SPDX-License-Identifier: GPL-3.0-or-later
// Runs ways in turn, ends bad runs early, and leaves out ways with another output.
#include "amp-run/tune/rounds.h"

#include "amp-run/tune/run-once.h"
#include "amp-run/tune/scratch.h"
#include "common/preload.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>
#include <unistd.h>

namespace amp {

namespace {

constexpr double least_gain = 1.03;

double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, seconds < 10 ? "%.2f s" : "%.0f s", seconds);
  return text;
}

class Tuner {
public:
  Tuner(const TuneOptions &options, const std::string &program, const Command &command,
        const Target &target, const Machine &machine)
      : options_(options), program_(program), command_(command), target_(target), machine_(machine),
        references_(1 + options.outputs.size()) {}

  Rounds run(const std::vector<const Way *> &ways) {
    adopt_orphans();
    for (const Way *const way : ways)
      result_.trials.push_back({way, {}, {}, {}, 0, 0});
    took_.resize(ways.size());
    // Not timed: it fills the caches.
    plain(0);
    for (int round = 1; round <= options_.rounds && result_.stopped.empty(); ++round) {
      if (round > 1 && used() + rest(0) > options_.budget) {
        result_.stopped = "the budget of " + seconds_text(options_.budget) + " is used up";
        break;
      }
      best_ = std::min(best_, plain(round));
      for (std::size_t i = 1; i < result_.trials.size() && result_.stopped.empty(); ++i)
        if (result_.trials[i].left_out.empty())
          try_way(round, i);
      if (result_.stopped.empty())
        ++result_.complete;
    }
    progress("");
    return std::move(result_);
  }

private:
  double used() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  // The time that the ways from FIRST on of a round will take.
  double rest(std::size_t first) const {
    double seconds = 0;
    for (std::size_t i = first; i < result_.trials.size(); ++i)
      if (result_.trials[i].left_out.empty())
        seconds += took_[i] > 0 ? took_[i] : took_[0];
    return seconds;
  }

  // The time after which a run is ended that may take SECONDS by the clock of the runs. Virtual
  // time is known when a run has ended; what it takes to simulate other ways is not far apart.
  double patience(double seconds) const {
    return virtual_time_ ? 10 + 5 * *std::max_element(took_.begin(), took_.end()) : seconds;
  }

  void progress(const std::string &text) const {
    if (isatty(STDERR_FILENO))
      std::cerr << "\r\033[K" << text << std::flush;
  }

  void show(int round, std::size_t way) const {
    const double left = rest(way) + rest(0) * (options_.rounds - round);
    std::string text = "amp-run: ";
    if (round == 0)
      text += "a plain run that is not timed";
    else
      text += "round " + std::to_string(round) + " of " + std::to_string(options_.rounds) + ", " +
              result_.trials[way].way->name + "; about " + seconds_text(left) + " left";
    progress(text);
  }

  // Runs WAY for at most LIMIT seconds. The seconds of what it returns are virtual ones in the lab.
  Run one(int round, std::size_t way, double limit) {
    show(round, way);
    scratch_.mark_outputs(options_.outputs);
    const double left = std::max(options_.budget - used(), 0.0);
    const auto prepare = [&] {
      take_way(*result_.trials[way].way, machine_, target_, [](const char *, const char *) {});
      if (virtual_time_)
        setenv("GOMP_AMP_VIRTUAL_REPORT", scratch_.clock().c_str(), 1);
    };
    if (!options_.reset.empty())
      reset(left);
    limit = std::min(way == 0 ? limit : patience(limit), left);
    Run run = run_once(program_, command_, scratch_.files(), limit, signals_, prepare);
    if (run.end == End::interrupted)
      throw Failure("interrupted; nothing is remembered", 128 + SIGINT);
    if (run.end == End::too_long && limit >= left)
      result_.stopped = "the budget of " + seconds_text(options_.budget) + " is used up";
    took_[way] = run.seconds;
    if (virtual_time_ && run.end == End::exited)
      run.seconds = scratch_.virtual_seconds();
    return run;
  }

  void reset(double limit) {
    const Run run =
        run_once("/bin/sh", {"sh", "-c", options_.reset}, scratch_.files(), limit, signals_, [] {});
    if (run.end != End::exited || run.status != 0)
      throw Failure("--reset: '" + options_.reset + "' did not end with status 0" +
                    scratch_.last_error() + "; nothing is remembered");
  }

  // A plain run. Returns its seconds.
  double plain(int round) {
    const Run run = one(round, 0, std::numeric_limits<double>::infinity());
    if (run.end == End::too_long)
      throw Failure("a plain run takes longer than the budget, of which " +
                    seconds_text(run.seconds) + " were left; --budget gives more");
    if (run.end == End::signalled || run.status != 0)
      throw Failure("the plain run ended " +
                    (run.end == End::signalled ? std::string("by signal ") : "with status ") +
                    std::to_string(run.status) + scratch_.last_error() + "; nothing is remembered");
    for (std::size_t i = 0; i < references_.size(); ++i)
      if (const auto text = scratch_.output(i, options_.outputs))
        references_[i].add(*text);
      else
        throw Failure("--output: the plain run has not written '" + options_.outputs[i - 1] +
                      "'; nothing is remembered");
    if (run.seconds <= 0)
      throw Failure("the plain run opened no team in virtual time; nothing is remembered");
    if (round > 0)
      result_.trials[0].seconds.push_back(run.seconds);
    return run.seconds;
  }

  void try_way(int round, std::size_t way) {
    Trial &trial = result_.trials[way];
    const Run run = one(round, way, limit_for(best_));
    if (!result_.stopped.empty())
      return;
    if (run.end == End::too_long)
      trial.left_out = "ended after " + seconds_text(run.seconds) +
                       (virtual_time_ ? " of real time" : ": the best took " + seconds_text(best_));
    else if (run.end == End::signalled)
      trial.left_out =
          "ended by signal " + std::to_string(run.status) + " (" + strsignal(run.status) + ")";
    else if (run.status != 0)
      trial.left_out = "exit status " + std::to_string(run.status) + ", not 0";
    else if (virtual_time_ && run.seconds <= 0)
      trial.left_out = "it opened no team in virtual time";
    else if (virtual_time_ && run.seconds > limit_for(best_))
      trial.left_out =
          "took " + seconds_text(run.seconds) + ": the best took " + seconds_text(best_);
    else
      trial.left_out = lasting_difference(*trial.way);
    if (!trial.left_out.empty())
      return;
    trial.seconds.push_back(run.seconds);
    best_ = std::min(best_, run.seconds);
  }

  using Written = std::vector<std::optional<std::string>>; // as of Scratch::output

  // Where what the run of WAY wrote differs, also if plain runs come later: two of them may have
  // had the same time stamp, or the same order of lines, by chance. Empty if nowhere.
  std::string lasting_difference(const Way &way) {
    Written written;
    for (std::size_t i = 0; i < references_.size(); ++i)
      written.push_back(scratch_.output(i, options_.outputs));
    std::string found = difference(way, written);
    for (; !found.empty() && spare_ > 0 && used() + rest(0) < options_.budget; --spare_) {
      plain(0);
      found = difference(way, written);
    }
    return found;
  }

  // Where what a run of WAY has WRITTEN differs; empty if nowhere.
  std::string difference(const Way &way, const Written &written) const {
    ThreadCounts threads{machine_.threads, machine_.threads};
    if (way.cores == Cores::fastest && !machine_.classes.empty())
      threads.other = static_cast<int>(machine_.classes.front().cpus.size());
    else if (way.variables[0].name && !std::strcmp(way.variables[0].name, "GOMP_AMP_FOLD"))
      threads.other = machine_.ids;
    for (std::size_t i = 0; i < references_.size(); ++i) {
      const std::string name = i == 0 ? "output" : "'" + options_.outputs[i - 1] + "'";
      if (!written[i])
        return name + " is not written";
      if (const auto found = references_[i].difference(*written[i], threads))
        return name + " differs: " + *found;
    }
    return {};
  }

  const TuneOptions &options_;
  const std::string &program_;
  const Command &command_;
  const Target &target_;
  const Machine &machine_;
  Rounds result_;
  std::vector<Reference> references_; // of the output, and of each file
  Scratch scratch_;
  const HeldSignals signals_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  int spare_ = 4; // plain runs to see what of the output varies
  const bool virtual_time_ = in_virtual_time();
  std::vector<double> took_; // real seconds of the last run of each way
  double best_ = std::numeric_limits<double>::infinity();
};

} // namespace

double limit_for(double best) {
  // On a busy machine a short run may take many times as long.
  return std::max(1.5 * best, best + 1);
}

Rounds run_rounds(const TuneOptions &options, const std::string &program, const Command &command,
                  const Target &target, const Machine &machine,
                  const std::vector<const Way *> &ways) {
  Rounds rounds = Tuner(options, program, command, target, machine).run(ways);
  sum_up(rounds);
  return rounds;
}

void sum_up(Rounds &rounds) {
  const std::vector<double> plain = rounds.trials.front().seconds;
  for (Trial &trial : rounds.trials) {
    trial.seconds.resize(std::min(trial.seconds.size(), rounds.complete));
    for (std::size_t i = 0; i < trial.seconds.size(); ++i)
      trial.gains.push_back(plain[i] / trial.seconds[i]);
    trial.median_seconds = median(trial.seconds);
    trial.median_gain = median(trial.gains);
  }
}

const Trial *best_of(const Rounds &rounds) {
  if (rounds.complete < 2)
    return nullptr;
  const Trial *best = &rounds.trials.front();
  for (const Trial &trial : rounds.trials) {
    const auto gaining = std::count_if(trial.gains.begin(), trial.gains.end(),
                                       [](double gain) { return gain >= least_gain; });
    if (trial.left_out.empty() && trial.median_gain >= least_gain &&
        3 * static_cast<std::size_t>(gaining) >= 2 * rounds.complete &&
        trial.median_gain >= least_gain * best->median_gain)
      best = &trial;
  }
  return best;
}

} // namespace amp
