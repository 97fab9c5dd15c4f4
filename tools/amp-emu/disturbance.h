// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a run was disturbed: by the host, by other programs, or by a CPU that changed its speed.
// The limits are those of bench/harness/disturbance.py, which says why.
#pragma once

#include "common/cpulist.h"

#include <functional>
#include <string>
#include <vector>

namespace amp {

// What the kernel has counted up to a moment, in seconds.
struct Counts {
  double clock = 0;
  double stolen = 0;         // by the host, from the CPUs of the run
  double busy = 0;           // of these CPUs, with processes
  double own = 0;            // CPU time of the run, and of this process, which may have thieves
  long switches = 0;         // involuntary ones of the run's threads
  std::vector<double> loops; // CPU time of a fixed loop, on the first CPU and the last one
};

// Returns what disturbed a run between BEFORE and AFTER on so many CPUS, a phrase each; nothing if
// it was not. Switches count only for a run of one thread at a time, which SERIAL says it is: more
// threads than CPUs, and thieves, switch as well.
std::vector<std::string> judge(const Counts &before, const Counts &after, std::size_t cpus,
                               bool serial);

// The lines of CPUS in STAT, a /proc/stat: their stolen and busy time goes to COUNTS.
void read_cpu_times(const std::string &stat, const CpuList &cpus, Counts &counts);

// Looks at the machine before and after runs on CPUS, in PROC instead of /proc in tests. The run is
// a child process that has been waited for when end() is called.
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
  int runs = 0;                       // how often it was run
  std::vector<std::string> disturbed; // what disturbed the last of them
};

// Calls RUN, which returns an exit status, under a watch of CPUS; again, up to REPEAT times, while
// it ends well and was disturbed. AFTER is called behind each run that no signal ended, and returns
// further phrases. Each disturbance becomes a message headed "amp-emu: NAME: ", unless QUIET.
WatchedRun run_watched(const std::string &name, Watch watch, int repeat, bool quiet,
                       const std::function<int()> &run,
                       const std::function<std::vector<std::string>()> &after);

} // namespace amp
