// SPDX-License-Identifier: GPL-3.0-or-later
// Stands in for the rest of the library and for the operating system: who runs, where, and when.
#include "team.h"
#include "tsan.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>

namespace model {

unsigned long long clock_now;

namespace {

struct gomp_thread *running;
std::vector<unsigned char> class_of_thread;

} // namespace

Team::Team(const Setting &setting)
    : team_{unsigned(setting.classes.size())}, threads_(setting.classes.size()) {
  class_of_thread.assign(setting.classes.begin(), setting.classes.end());
  gomp_amp_options.thread_classes.count = class_of_thread.size();
  gomp_amp_options.thread_classes.classes =
      1 + *std::max_element(class_of_thread.begin(), class_of_thread.end());
  gomp_amp_options.thread_classes.member = class_of_thread.data();
  gomp_amp_options.sample_ns = setting.sample_ns;
  gomp_amp_options.sf_max = setting.sf_max;
  gomp_amp_options.sf.count = setting.offline.size();
  std::copy(setting.offline.begin(), setting.offline.end(), gomp_amp_options.sf.sf);
  for (unsigned i = 0; i < size(); i++) {
    threads_[i].ts.team = &team_;
    threads_[i].ts.team_id = i;
  }
  running = &threads_[0];
  if (gomp_aid_init(&work_share_, setting.kind, setting.ni, setting.chunk) != setting.kind)
    std::abort();
  if (gomp_amp_offline())
    gomp_aid_find_site(work_share_.amp, &team_, nullptr);
}

Team::~Team() { std::free(work_share_.amp); }

void Team::run(unsigned thread) { running = &threads_[thread]; }

bool Team::next(unsigned thread, gomp_aid_count *first, gomp_aid_count *count) {
  run(thread);
  return gomp_aid_next(running, work_share_.amp, first, count);
}

void Team::migrate(unsigned thread, unsigned cls) { class_of_thread[thread] = cls; }

} // namespace model

extern "C" {

// Nothing watches.
bool gomp_ompt_on;

struct gomp_thread *gomp_thread(void) {
  return model::running;
}

// In place of the C library's: the schedules ask for CLOCK_MONOTONIC alone.
int clock_gettime(clockid_t, timespec *now) noexcept {
  model::watcher->clock();
  now->tv_sec = model::clock_now / 1000000000;
  now->tv_nsec = model::clock_now % 1000000000;
  return 0;
}
}
