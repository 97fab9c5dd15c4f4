// SPDX-License-Identifier: GPL-3.0-or-later
// One loop under an AID schedule, run by threads that are no threads: a test calls gomp_aid_next in
// the name of each, in the order and at the times that it wants.
#pragma once

#include <vector>

extern "C" {
#include "libgomp.h"
}

namespace model {

struct Setting {
  int kind = GFS_AID_STATIC;
  gomp_aid_count ni = 0;
  gomp_aid_count chunk = 0;      // 0: not given
  std::vector<unsigned> classes; // of the threads
  unsigned long sample_ns = 2000;
  unsigned long sf_max = 32;
  std::vector<double> offline; // speedup factors of the classes, if they are given
};

class Team {
public:
  // Prepares the loop; the settings are in force until the next team is made.
  explicit Team(const Setting &setting);
  ~Team();
  Team(const Team &) = delete;
  Team &operator=(const Team &) = delete;

  unsigned size() const { return team_.nthreads; }
  gomp_amp_loop *loop() const { return work_share_.amp; }
  const gomp_amp_thread &state(unsigned thread) const { return threads_[thread].ts.amp; }
  gomp_amp_thread &state(unsigned thread) { return threads_[thread].ts.amp; }

  // Thread number THREAD is the one that runs.
  void run(unsigned thread);

  // What thread number THREAD takes next; false if nothing is left for it.
  bool next(unsigned thread, gomp_aid_count *first, gomp_aid_count *count);

  // Thread number THREAD is on a core of another class from now on.
  void migrate(unsigned thread, unsigned cls);

private:
  gomp_team team_;
  gomp_work_share work_share_ = {};
  std::vector<struct gomp_thread> threads_;
};

// What CLOCK_MONOTONIC says to the thread that runs, in nanoseconds; set by the test.
extern unsigned long long clock_now;

} // namespace model
