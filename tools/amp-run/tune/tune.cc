// SPDX-License-Identifier: GPL-3.0-or-later
// Runs ways in turn, ends bad runs early, leaves out ways that write something else, shows what
// came out, and remembers it.
#include "amp-run/tune/tune.h"

#include "amp-run/machine.h"
#include "amp-run/tune/run-once.h"
#include "amp-run/tune/world.h"
#include "common/disturbance.h"
#include "common/preload.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
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
    all.insert(all.end(), one->begin(), one->end());
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
    take_way(*request.way, program_, false);
    if (request.threads > 0)
      setenv("OMP_NUM_THREADS", std::to_string(request.threads).c_str(), 1);
    if (!request.cpus.empty())
      confine_to(request.cpus, false);
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

std::string number_text(double value, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << value;
  return text.str();
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::tm utc;
  std::strftime(text, sizeof text, "%Y-%m-%d", gmtime_r(&now, &utc));
  return text;
}

void show_table(const Rounds &rounds, std::ostream &stream) {
  stream << std::left << std::setw(8) << "way" << std::right << std::setw(10) << "seconds"
         << std::setw(8) << "gain"
         << "\n";
  for (const Trial &trial : rounds.trials) {
    stream << std::left << std::setw(8) << trial.way->name << std::right;
    if (trial.seconds.empty())
      stream << std::setw(10) << "-" << std::setw(8) << "-";
    else
      stream << std::setw(10) << number_text(median(trial.seconds), 3) << std::setw(8)
             << number_text(trial.gain, 2);
    const bool best = &trial == &rounds.trials[rounds.best] && rounds.enough();
    const std::string &said = trial.left_out;
    stream << (best ? "  the best" : !said.empty() ? "  " + said : "") << "\n";
  }
  stream
      << (rounds.compared.empty()
              ? "Nothing could be compared: the program writes nothing that is the same in plain "
                "runs.\n"
              : "Compared with plain runs with as many threads: " + rounds.compared + ".\n");
  for (const std::string &note : rounds.notes)
    stream << note << "\n";
  if (!rounds.stopped.empty())
    stream << "There were " << rounds.trials[0].seconds.size() << " rounds: " << rounds.stopped
           << ".\n";
}

Entry entry_for(const Target &target, const Machine &machine, const Rounds &rounds) {
  const Trial &plain = rounds.trials.front(), &best = rounds.trials[rounds.best];
  Entry entry;
  entry.name = target.name;
  entry.interpreter = target.interpreter;
  entry.build_id = target.build_id;
  entry.hash = target.build_id.empty() ? target.hash() : "";
  entry.arguments = target.arguments;
  entry.way = best.way->name;
  entry.machine = machine.name;
  entry.gain = best.gain;
  entry.tuned = today();
  if (plain.seconds.empty())
    return entry; // there was no other way
  entry.measured = "plain " + number_text(median(plain.seconds), 3) + " s";
  if (&best != &plain)
    entry.measured +=
        std::string(", ") + best.way->name + " " + number_text(median(best.seconds), 3) + " s";
  entry.measured += "; medians of " + std::to_string(best.seconds.size()) + " rounds";
  return entry;
}

// Remembers that BEST is the way of TARGET. Returns whether it could.
bool remember(const Target &target, const Entry &entry, std::ostream &stream) {
  const std::string file = user_file();
  try {
    if (target.name.empty())
      throw Failure("it reads its code from elsewhere, so that there is no name for it");
    change_entries(file, [&](const std::string &text) { return with_entry(text, entry); });
  } catch (const Failure &failure) {
    std::cerr << "amp-run: not remembered: " << failure.what() << "; amp-run --way=" << entry.way
              << " runs it like that\n";
    return false;
  }
  stream << "amp-run runs " << target.shown() << " " << entry.way << " from now on (" << file
         << ").\n";
  return true;
}

void refuse_ranks() {
  try {
    if (!find_local_rank(std::getenv))
      return;
  } catch (const Failure &) {
    // A launcher's variables, whatever is wrong with them.
  }
  throw Failure("this is a rank of MPI, and each would tune: amp-run --tune comes before mpirun; "
                "nothing was run");
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

std::string names_of_ways(const Traits &traits, const Machine &machine) {
  std::string names;
  for (const Way *const way : ways_for(traits, machine))
    names += (names.empty() ? "" : ", ") + std::string(way->name);
  return names;
}

int tune(const TuneOptions &options, const Program &program, std::ostream &stream) {
  refuse_ranks();
  if (const char *const name = decided_by())
    std::cerr << "amp-run: " << name << " has no effect: --tune tries ways that set it\n";
  const Machine &machine = ask_machine();
  const auto ways = ways_for(program.traits(), machine);
  if (ways.size() < 2)
    throw Failure(machine.uneven()
                      ? program.shown() + " has nothing that the library could run in another way"
                      : "the cores are equally fast, so that there is one way; nothing was run");
  // One tuning at a time: two would measure each other. What is simulated does not disturb others,
  // and other users are noise: a lock beside the user's entries is none that they can hold.
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(user_file()).parent_path(), error);
  if (!in_virtual_time())
    hold_file(user_file() + ".tuning",
              "amp-run: another --tune is at work on this machine; waiting for its end\n");
  const Rounds rounds = Tuner(options, program, machine).run(ways);
  show_table(rounds, stream);
  if (!rounds.enough()) {
    stream << "Nothing is remembered: that takes two rounds; --budget gives more time.\n";
    return exit_not_remembered;
  }
  return remember(program, entry_for(program, machine, rounds), stream) ? 0 : exit_not_remembered;
}

void show_known(const Target *target, std::ostream &stream) {
  const std::vector<EntryFile> files = all_entry_files();
  for (const EntryFile &file : files) {
    if (!file.fault.empty())
      stream << file.fault << "; its entries do not count\n";
    for (const std::string &warning : file.warnings)
      stream << warning << "\n";
    for (const Entry &entry : file.entries) {
      if (target && !is_about(entry, *target))
        continue;
      stream << file.file << ":" << entry.line << ": " << entry.name << " " << entry.way;
      if (entry.gain > 0)
        stream << ", gain " << number_text(entry.gain, 2);
      stream << (entry.tuned.empty() ? "" : ", " + entry.tuned)
             << (entry.machine.empty() ? "" : ", " + entry.machine)
             << (entry.arguments.empty() ? "" : ", with " + entry.arguments) << "\n";
    }
  }
  if (!target)
    return;
  const Choice choice = choose_way(files, *target, [] { return ask_machine().name; });
  for (const std::string &other : choice.others)
    stream << other << "\n";
  if (choice.way)
    stream << choice.line << " decides: " << target->shown() << " is run " << choice.way->name
           << "\n";
  else
    stream << "no entry decides for " << target->shown() << "\n";
}

bool forget(const Target &target, std::ostream &stream) {
  unsigned count = 0;
  change_entries(user_file(),
                 [&](const std::string &text) { return without_entries(text, target, count); });
  stream << "amp-run: " << count << (count == 1 ? " entry" : " entries") << " about "
         << target.shown() << " removed from " << user_file() << "\n";
  return count > 0;
}

double parse_duration(const std::string &text) {
  char *end;
  const double value = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  const double factor = unit == "h" ? 3600 : unit == "m" ? 60 : unit.empty() || unit == "s" ? 1 : 0;
  if (end == text.c_str() || factor == 0 || !(value > 0) || value > 1e6)
    throw Failure("--budget: '" + text +
                  "': expected a time such as 90s, 10m or 2h; nothing was run");
  return value * factor;
}

} // namespace amp
