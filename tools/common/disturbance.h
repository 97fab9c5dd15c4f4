// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a run was disturbed: by the host, by other programs, or by a CPU that changed its speed.
// The limits of stolen and foreign time are those of bench/lab/disturbance.py, which gives reasons.
#pragma once

#include "common/cpulist.h"

#include <functional>
#include <string>
#include <vector>

namespace amp {

// The counts at one point in time. Times are in seconds.
struct Counts {
  double clock = 0;
  double stolen = 0;         // by the host, from the CPUs of the run
  double busy = 0;           // time that these CPUs spent in processes
  double own = 0;            // CPU time of the run, and of this process, which may have thieves
  long switches = 0;         // involuntary ones of the run's threads
  std::vector<double> loops; // CPU time of a fixed loop, on the first CPU and the last one
};

// Returns what disturbed a run between BEFORE and AFTER on this many CPUS, a phrase for each;
// nothing if the run was not disturbed. Switches count only if SERIAL, for a run of one thread at a
// time: thieves, and more threads than CPUs, cause switches as well.
std::vector<std::string> judge(const Counts &before, const Counts &after, std::size_t cpus,
                               bool serial);

// Adds the stolen and busy time of CPUS in STAT, the text of a /proc/stat, to COUNTS.
void read_cpu_times(const std::string &stat, const CpuList &cpus, Counts &counts);

// Looks at the machine before and after runs on CPUS. Tests use another PROC than /proc. The run is
// a child process; it must have been waited for when end() is called.
class Watch {
public:
  explicit Watch(CpuList cpus, bool serial = false, std::string proc = "/proc");
  void begin();
  std::vector<std::string> end() const;

private:
  Counts count() const;
  std::vector<double> loops() const;

  CpuList cpus_;
  bool serial_;
  std::string proc_;
  Counts before_;
};

struct WatchedRun {
  int status = 0;
  int runs = 0;                       // the number of runs
  std::vector<std::string> disturbed; // what disturbed the last run
};

// Calls RUN, which returns an exit status, under WATCH. Calls it again, up to REPEAT times, while
// it succeeds and was disturbed. Calls AFTER, which may add phrases or remove them, after each run
// that no signal ended. Each disturbance becomes a message that starts with "amp-emu: NAME: ",
// unless QUIET.
WatchedRun run_watched(const std::string &name, Watch watch, int repeat, bool quiet,
                       const std::function<int()> &run,
                       const std::function<void(std::vector<std::string> &)> &after);

} // namespace amp
