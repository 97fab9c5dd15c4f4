// SPDX-License-Identifier: GPL-3.0-or-later
// Compares /proc/stat and getrusage before and after a run.
#include "common/disturbance.h"

#include "common/pin.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <iostream>
#include <sstream>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

namespace amp {

namespace {

constexpr double stolen_share = 0.01; // of the run's CPUs' time
constexpr double foreign_share = 0.05, foreign_share_of_all = 0.01;
constexpr double switches_per_second = 20, switches_free = 10;
constexpr double drift_limit = 0.05;
constexpr int stolen_ticks = 2, foreign_ticks = 3;

const double tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));

double seconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds_of(const timeval &time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

double cpu_seconds(const rusage &usage) {
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

// CPU seconds of a fixed loop on CPU: the minimum of five, since some are interrupted.
double fixed_loop(int cpu) {
  double best = INFINITY;
  std::thread([&] {
    pin_to_cpu(cpu);
    for (int repeat = 0; repeat < 5; ++repeat) {
      const double begun = seconds_of(CLOCK_THREAD_CPUTIME_ID);
      std::uint64_t value = 1;
      for (int i = 0; i < 1'000'000; ++i) {
        value = value * 6364136223846793005u + 1442695040888963407u;
        asm volatile("" : "+r"(value)); // so that the compiler does not fold the loop
      }
      best = std::min(best, seconds_of(CLOCK_THREAD_CPUTIME_ID) - begun);
    }
  }).join();
  return best;
}

std::string joined(const std::vector<std::string> &phrases) {
  std::string text;
  for (const std::string &phrase : phrases)
    text += (text.empty() ? "" : ", ") + phrase;
  return text;
}

} // namespace

std::vector<std::string> judge(const Counts &before, const Counts &after, std::size_t cpus,
                               bool serial) {
  const double seconds = after.clock - before.clock, count = static_cast<double>(cpus);
  const double stolen = after.stolen - before.stolen;
  const double foreign = after.busy - before.busy - (after.own - before.own);
  const long switches = after.switches - before.switches;
  double drift = 0;
  for (std::size_t i = 0; i < std::min(before.loops.size(), after.loops.size()); ++i)
    if (const double one = after.loops[i] / before.loops[i] - 1; std::abs(one) > std::abs(drift))
      drift = one;

  std::vector<std::string> found;
  if (stolen > std::max(stolen_share * seconds * count, stolen_ticks * tick))
    found.push_back(std::to_string(std::lround(1000 * stolen)) + " ms stolen by the host");
  if (foreign >
      std::max(foreign_share, foreign_share_of_all * count) * seconds + foreign_ticks * tick)
    found.push_back("other programs ran for " + std::to_string(std::lround(1000 * foreign)) +
                    " ms");
  if (std::abs(drift) > drift_limit)
    found.push_back("a fixed loop took " + std::to_string(std::lround(100 * drift)) +
                    " % longer afterwards");
  if (serial && static_cast<double>(switches) > switches_per_second * seconds + switches_free)
    found.push_back(std::to_string(switches) + " involuntary switches");
  return found;
}

void read_cpu_times(const std::string &stat, const CpuList &cpus, Counts &counts) {
  std::istringstream lines(stat);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    double user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, stolen = 0;
    if (!(words >> name) || name.compare(0, 3, "cpu") != 0 || name.size() == 3 ||
        name.find_first_not_of("0123456789", 3) != name.npos ||
        !has(cpus, std::atoi(name.c_str() + 3)))
      continue;
    words >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> stolen;
    counts.busy += tick * (user + nice + system);
    counts.stolen += tick * stolen;
  }
}

Watch::Watch(CpuList cpus, bool serial, std::string proc)
    : cpus_(std::move(cpus)), serial_(serial), proc_(std::move(proc)) {}

Counts Watch::count() const {
  std::ostringstream stat;
  stat << std::ifstream(proc_ + "/stat").rdbuf();
  Counts counts;
  counts.clock = seconds_of(CLOCK_MONOTONIC);
  read_cpu_times(stat.str(), cpus_, counts);
  rusage children{}, self{};
  getrusage(RUSAGE_CHILDREN, &children);
  getrusage(RUSAGE_SELF, &self);
  counts.own = cpu_seconds(children) + cpu_seconds(self);
  counts.switches = children.ru_nivcsw;
  return counts;
}

std::vector<double> Watch::loops() const {
  if (cpus_.size() < 2)
    return {fixed_loop(cpus_.front())};
  return {fixed_loop(cpus_.front()), fixed_loop(cpus_.back())};
}

void Watch::begin() {
  const std::vector<double> measured = loops();
  before_ = count();
  before_.loops = measured;
}

std::vector<std::string> Watch::end() const {
  Counts after = count();
  after.loops = loops();
  return judge(before_, after, cpus_.size(), serial_);
}

WatchedRun run_watched(const std::string &name, Watch watch, int repeat, bool quiet,
                       const std::function<int()> &run,
                       const std::function<void(std::vector<std::string> &)> &after) {
  WatchedRun result;
  for (;;) {
    watch.begin();
    result.status = run();
    result.disturbed = watch.end();
    ++result.runs;
    if (result.status >= 128) // ended by a signal, for example the user's
      return result;
    after(result.disturbed);
    if (result.disturbed.empty())
      return result;
    const bool again = result.status == 0 && result.runs <= repeat;
    if (!quiet)
      std::cerr << "amp-emu: " << name << ": ! disturbed: " << joined(result.disturbed)
                << (again ? "; running it again" : "; its times are not to be compared") << "\n";
    if (!again)
      return result;
  }
}

} // namespace amp
