// SPDX-License-Identifier: GPL-3.0-or-later
// Runs ways in turn, ends bad runs early, and leaves out ways that write something else.
#include "amp-run/tune/tune.h"

#include "amp-run/tune/run-once.h"
#include "amp-run/tune/world.h"
#include "common/disturbance.h"
#include "common/preload.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <limits>
#include <map>
#include <optional>
#include <unistd.h>

namespace amp {

namespace {

constexpr int more_rounds = 4; // times as many, while the times do not decide
constexpr double infinite = std::numeric_limits<double>::infinity();

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, seconds < 10 ? "%.2f s" : "%.0f s", seconds);
  return text;
}

std::vector<std::string> copied_directories(const Command &command,
                                            const std::vector<std::string> &outputs) {
  std::vector<std::string> words(command.begin() + 1, command.end());
  for (const std::string &output : outputs)
    words.push_back("./" + output);
  words.insert(words.end(), outputs.begin(), outputs.end());
  return written_directories(words);
}

// The slower half of the CPUs of MACHINE.
CpuList fewer_cpus(const Machine &machine) {
  CpuList all;
  for (auto one = machine.classes.rbegin(); one != machine.classes.rend(); ++one)
    all.insert(all.end(), one->cpus.begin(), one->cpus.end());
  all.resize((all.size() + 1) / 2);
  return all;
}

std::string how_it_ended(const Run &run) {
  return run.end == End::signalled
             ? "ended by signal " + std::to_string(run.status) + " (" + strsignal(run.status) + ")"
         : run.end == End::too_long ? "was ended after " + seconds_text(run.seconds)
         : run.end == End::too_much
             ? "printed more than " + std::to_string(most_output >> 20) + " MB"
             : "ended with status " + std::to_string(run.status);
}

// How a run is made.
struct Request {
  explicit Request(std::string name) : shown(std::move(name)) {}
  std::string shown; // what it is called while it runs
  const Way *way = &ways[way_plain];
  int threads = 0;       // OMP_NUM_THREADS; 0: as it is
  CpuList cpus;          // empty: those of the way
  bool observed = false; // the library reports what it does
};

class Tuner {
public:
  Tuner(const TuneOptions &options, const Program &program, const Machine &machine)
      : options_(options), program_(program), machine_(machine),
        world_(copied_directories(program.command, options.outputs)), scratch_(world_.scratch()) {
    if (!world_.refusal().empty())
      std::cerr << "amp-run: runs cannot have copies of your files (" << world_.refusal()
                << "): each run changes them, --reset=COMMAND puts them back, and what is written "
                   "to files is compared with --output=FILE alone\n";
  }

  // What the first plain run wrote is the user's, however the others end.
  ~Tuner() {
    progress("");
    if (first_ended_)
      world_.give(0);
  }

  Rounds run(const std::vector<const Way *> &ways) {
    for (const Way *const way : ways)
      result_.trials.push_back({way, {}, "", {}, 0});
    took_.resize(ways.size());
    first_run();
    std::optional<Watch> watch;
    if (!virtual_time_) {
      watch.emplace(allowed_cpus());
      watch->begin();
    }
    see_what_it_does();
    try_rounds();
    choose();
    if (watch)
      for (const std::string &phrase : watch->end())
        result_.notes.push_back("disturbed: " + phrase);
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

  // Runs the program as REQUEST says for at most LIMIT seconds. The seconds of what it returns are
  // virtual ones in the lab.
  Run one(const Request &request, double limit) {
    progress("amp-run: " + request.shown);
    scratch_.note(options_.outputs);
    const double left = std::max(options_.budget - used(), 0.0);
    if (!options_.reset.empty())
      reset(left);
    std::filesystem::remove(scratch_.folds);
    limit = std::min(limit, left);
    const unsigned number = runs_++;
    const auto enter = [&] { world_.enter(number); };
    Run run = run_once(
        {program_.file, program_.command, scratch_.files, limit, enter, [&] { prepare(request); }},
        signals_);
    if (run.end == End::interrupted)
      throw Failure("interrupted; nothing is remembered", 128 + SIGINT);
    if (run.end == End::too_long && limit >= left)
      stopped_ = true;
    real_seconds_ = run.seconds;
    if (virtual_time_ && run.end == End::exited)
      run.seconds = scratch_.virtual_seconds();
    if (run.end == End::exited)
      written_ = written(number);
    if (number > 0)
      world_.drop(number);
    return run;
  }

  // The part of one in the program's process.
  void prepare(const Request &request) const {
    const Told quiet = [](const char *, const char *) {};
    take_way(*request.way, machine_, program_, quiet);
    if (request.threads > 0)
      setenv("OMP_NUM_THREADS", std::to_string(request.threads).c_str(), 1);
    if (!request.cpus.empty())
      confine_to(request.cpus, quiet);
    if (virtual_time_)
      setenv("GOMP_AMP_VIRTUAL_REPORT", scratch_.clock.c_str(), 1);
    else if (request.way->applies == Applies::folds)
      setenv("GOMP_AMP_FOLD_REPORT", scratch_.folds.c_str(), 1);
    if (request.observed)
      setenv("GOMP_AMP_REPORT", scratch_.reports.c_str(), 1);
  }

  void reset(double limit) {
    const Run run = run_once(
        {"/bin/sh", {"sh", "-c", options_.reset}, scratch_.files, limit, [] {}, [] {}}, signals_);
    if (run.end != End::exited || run.status != 0)
      throw Failure("--reset: '" + options_.reset + "' " + how_it_ended(run) +
                    scratch_.last_words() + "; nothing is remembered");
  }

  // What the run in copy NUMBER wrote.
  Written written(unsigned number) const {
    Written result = world_.written(number);
    for (const std::string &file : options_.outputs)
      if (!world_.refusal().empty() && scratch_.is_written(file))
        result[file] = content_of_file(file);
    result[""] = content_of_file(scratch_.files.output);
    return result;
  }

  // A plain run as the program is; the first one is the user's, and not timed: it fills the caches.
  void first_run() {
    const Run run = one(Request("a plain run that is not timed"), infinite);
    took_[0] = real_seconds_;
    check_plain(run, "the plain run");
    first_ended_ = true;
    scratch_.hand_on();
    if (run.end == End::signalled || run.status != 0)
      throw Failure("the plain run " + how_it_ended(run) + "; nothing is remembered",
                    run.end == End::signalled ? 128 + run.status : run.status);
    for (const std::string &file : options_.outputs) {
      std::error_code error;
      const std::string name = std::filesystem::weakly_canonical(file, error);
      if (!written_.count(world_.refusal().empty() ? name : file))
        throw Failure("--output: the plain run has not written '" + file +
                      "'; nothing is remembered");
    }
    if (run.seconds <= 0)
      throw Failure("the plain run opened no team in virtual time; nothing is remembered");
    references_[machine_.threads].add(written_);
  }

  void check_plain(const Run &run, const std::string &name) const {
    if (run.end == End::too_long)
      throw Failure(name + " takes longer than the budget, of which " + seconds_text(run.seconds) +
                    " were left; --budget gives more");
    if (run.end == End::too_much)
      throw Failure(name + " " + how_it_ended(run) +
                    ", which is more than is compared; tune it "
                    "with a smaller input");
  }

  // Another plain run, which is compared, in a round or not. Returns its seconds; 0 if the budget
  // ended it.
  double plain(const std::string &shown) {
    const Run run = one(Request(shown), infinite);
    took_[0] = real_seconds_;
    if (stopped_)
      return 0;
    check_plain(run, "a plain run");
    if (run.end == End::signalled || run.status != 0)
      throw Failure("a plain run after the first one " + how_it_ended(run) + scratch_.last_words() +
                    "; nothing is remembered. If it does not write over its files, or goes on "
                    "where it ended, --reset='rm FILE' puts that back");
    references_[machine_.threads].add(written_);
    return run.seconds;
  }

  // A plain run with THREADS that is compared, on all CPUs or on FEWER. Returns why it is not.
  std::string add_reference(int threads, bool fewer, bool observed = false) {
    Request request("a plain run with " + std::to_string(threads) + " threads" +
                    (fewer ? " on fewer CPUs" : ""));
    request.threads = threads;
    request.observed = observed;
    if (fewer)
      request.cpus = fewer_cpus(machine_);
    const Run run = one(request, 10 + 10 * took_[0]);
    if (run.end != End::exited || run.status != 0)
      return request.shown + " " + how_it_ended(run);
    references_[threads].add(written_);
    return {};
  }

  // What a plain run on fewer CPUs writes, and what the library had to do in it: ways that would
  // change nothing are plain.
  void see_what_it_does() {
    const bool observed = !virtual_time_;
    const std::string why = add_reference(machine_.threads, true, observed);
    if (!why.empty() && observed)
      add_reference(machine_.threads, true);
    if (references_[machine_.threads].runs() < 2)
      plain("a plain run that is not timed");
    for (Trial &trial : result_.trials)
      if (why.empty() && observed) {
        if (trial.way->variables[0].name && !scratch_.reported("regions"))
          trial.left_out = "is plain: no team of threads was opened";
        else if (trial.way->applies == Applies::loops && !scratch_.reported("loops"))
          trial.left_out = "is plain: no loop called the library";
      }
    if (references_[machine_.threads].compares()) {
      result_.compared = references_[machine_.threads].names();
      return;
    }
    for (Trial &trial : result_.trials)
      if (trial.left_out.empty() && threads_of(*trial.way, machine_) != machine_.threads)
        trial.left_out = "has another number of threads, and nothing can be compared";
  }

  bool undecided(const Trial &trial) const {
    return trial.left_out.empty() && &trial != &result_.trials[0] &&
           judge(result_.trials[0].seconds, trial.seconds) == Verdict::undecided;
  }

  void try_rounds() {
    for (int round = 1; round <= more_rounds * options_.rounds; ++round) {
      std::vector<std::size_t> tried;
      for (std::size_t i = 1; i < result_.trials.size(); ++i)
        if (result_.trials[i].left_out.empty() &&
            (round <= options_.rounds || undecided(result_.trials[i])))
          tried.push_back(i);
      if (tried.empty())
        return;
      stopped_ = stopped_ || (round > 1 && used() + rest(0) > options_.budget);
      const std::string shown = "round " + std::to_string(round) +
                                (round <= options_.rounds ? " of " + std::to_string(options_.rounds)
                                                          : ", as the times differ too much") +
                                ", ";
      const auto left = [&](std::size_t first) {
        return "; about " + seconds_text(rest(first) + rest(0) * (options_.rounds - round)) +
               " left";
      };
      if (!stopped_) {
        const double seconds = plain(shown + "plain" + left(0));
        if (seconds > 0)
          result_.trials[0].seconds.push_back(seconds);
        best_ = stopped_ ? best_ : std::min(best_, seconds);
      }
      for (const std::size_t way : tried)
        if (!stopped_)
          try_way(shown + result_.trials[way].way->name + left(way), way);
      if (stopped_) {
        result_.stopped = "the budget of " + seconds_text(options_.budget) + " is used up";
        return;
      }
    }
  }

  void try_way(const std::string &shown, std::size_t way) {
    Trial &trial = result_.trials[way];
    Request request(shown);
    request.way = trial.way;
    const double limit = limit_for(best_);
    const Run run = one(request, patience(limit));
    took_[way] = real_seconds_;
    if (stopped_)
      return;
    trial.left_out = why_left_out(trial, run, limit);
    if (!trial.left_out.empty())
      return;
    trial.seconds.push_back(run.seconds);
    best_ = std::min(best_, run.seconds);
  }

  // Why the way of TRIAL is not tried again after RUN; empty: it is.
  std::string why_left_out(Trial &trial, const Run &run, double limit) {
    const std::string best = ": the best took " + seconds_text(best_);
    if (run.end == End::too_long)
      return "ended after " + seconds_text(run.seconds) + (virtual_time_ ? " of real time" : best);
    if (run.end != End::exited)
      return how_it_ended(run);
    if (run.status != 0)
      return "exit status " + std::to_string(run.status) + ", not 0" + scratch_.last_words();
    if (virtual_time_ && run.seconds <= 0)
      return "it opened no team in virtual time";
    if (virtual_time_ && run.seconds > limit)
      return "took " + seconds_text(run.seconds) + best;
    if (!virtual_time_ && trial.way->applies == Applies::folds && !scratch_.folded())
      return "is plain: no team was folded";
    trial.written.push_back(written_);
    return threads_of(*trial.way, machine_) == machine_.threads ? lasting_difference(trial) : "";
  }

  // Where what TRIAL wrote differs from plain runs with as many threads, also if such runs come
  // later: two may have had the same time stamp, or the same order of lines, by chance. Empty if
  // nowhere.
  std::string lasting_difference(const Trial &trial) {
    const int threads = threads_of(*trial.way, machine_);
    for (const Written &run : trial.written)
      while (const auto found = references_[threads].difference(run))
        if (spare_-- <= 0 || used() + rest(0) > options_.budget ||
            !add_reference(threads, false).empty())
          return *found;
    return {};
  }

  // Why what TRIAL wrote cannot be taken; empty if it can.
  std::string fault_of(const Trial &trial) {
    const int threads = threads_of(*trial.way, machine_), plain = machine_.threads;
    if (threads == plain)
      return {}; // each of its runs was compared
    for (const bool fewer : {false, true})
      if (references_[threads].runs() < 2)
        if (const std::string why = add_reference(threads, fewer); !why.empty())
          return "cannot be compared: " + why;
    if (std::string found = lasting_difference(trial); !found.empty())
      return found;
    const auto rounding = references_[threads].rounding(references_[plain], {plain, threads});
    if (!rounding)
      return {};
    result_.notes.push_back("with " + std::to_string(threads) + " threads " + rounding->first +
                            ", as in plain runs with " + std::to_string(threads));
    if (rounding->small || options_.accept_rounding)
      return {};
    return "other numbers with " + std::to_string(threads) +
           " threads, as in plain runs with so many; --accept-rounding takes it";
  }

  void choose() {
    for (Trial &trial : result_.trials)
      trial.gain = median_gain(result_.trials[0].seconds, trial.seconds);
    while ((result_.best = best_of(result_.trials)) != 0) {
      Trial &trial = result_.trials[result_.best];
      trial.left_out = fault_of(trial);
      if (trial.left_out.empty())
        return;
    }
    for (const Trial &trial : result_.trials)
      if (undecided(trial))
        result_.notes.push_back(std::string(trial.way->name) +
                                " is not taken: the times of its runs and of plain ones differ too "
                                "much to say that it gains");
  }

  const TuneOptions &options_;
  const Program &program_;
  const Machine &machine_;
  World world_;
  Rounds result_;
  std::map<int, Reference> references_; // by the number of threads
  Scratch scratch_;
  const HeldSignals signals_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  int spare_ = 4; // plain runs to see what of the output varies
  const bool virtual_time_ = in_virtual_time();
  unsigned runs_ = 0;
  bool first_ended_ = false, stopped_ = false;
  Written written_; // by the last run that ended by itself
  double real_seconds_ = 0;
  std::vector<double> took_; // real seconds of the last run of each way
  double best_ = infinite;
};

// Lord's test (Biometrika 34, 1947): the difference of two means is judged by the mean of the two
// ranges, so that what plain runs differ by among each other counts for nothing.
// By the number of rounds: how many mean ranges the means of two samples that are alike are apart
// in one of ten thousand cases, simulated with normal, exponential and Student's t distribution of
// three degrees; the largest of these.
constexpr double distance[] = {0, 0, 70, 7, 2.9, 1.8, 1.31, 1.06, .88, .79, .7, .64, .59};

struct Sample {
  double mean = 0, range = 0;
};

Sample sample_of(const std::vector<double> &values) {
  Sample sample;
  double least = INFINITY, most = -INFINITY;
  for (const double value : values) {
    sample.mean += std::log(value) / static_cast<double>(values.size());
    least = std::min(least, std::log(value));
    most = std::max(most, std::log(value));
  }
  sample.range = most - least;
  return sample;
}

} // namespace

double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double median_gain(const std::vector<double> &plain, const std::vector<double> &way) {
  std::vector<double> gains;
  for (std::size_t i = 0; i < std::min(plain.size(), way.size()); ++i)
    gains.push_back(plain[i] / way[i]);
  return median(gains);
}

Verdict judge(const std::vector<double> &plain, const std::vector<double> &way) {
  const std::size_t rounds = std::min(plain.size(), way.size());
  const std::vector<double> same(plain.begin(),
                                 plain.begin() + static_cast<std::ptrdiff_t>(rounds));
  if (median_gain(same, way) < least_gain)
    return Verdict::no;
  const Sample a = sample_of(same), b = sample_of(way);
  if (rounds < 2)
    return Verdict::undecided;
  const double needed = distance[std::min(rounds, std::size(distance) - 1)];
  return a.mean - b.mean > needed * (a.range + b.range) / 2 ? Verdict::gains : Verdict::undecided;
}

double limit_for(double best) {
  // On a busy machine a short run may take many times as long.
  return std::max(1.5 * best, best + 1);
}

Rounds run_rounds(const TuneOptions &options, const Program &program, const Machine &machine,
                  const std::vector<const Way *> &ways) {
  return Tuner(options, program, machine).run(ways);
}

std::size_t best_of(const std::vector<Trial> &trials) {
  std::size_t best = 0;
  double best_gain = 1;
  for (std::size_t i = 1; i < trials.size(); ++i)
    if (trials[i].left_out.empty() && trials[i].gain >= least_gain * best_gain &&
        judge(trials[0].seconds, trials[i].seconds) == Verdict::gains) {
      best = i;
      best_gain = trials[i].gain;
    }
  return best;
}

} // namespace amp
