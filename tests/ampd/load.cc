// SPDX-License-Identifier: GPL-3.0-or-later
// A program that is as much faster on some CPUs as a test says: its progress is CPU time times the
// factor of the class of the CPU that it is on.
//
// load CLASSES PHASES [UP [THREADS]]
//   CLASSES  the class of each CPU, the slowest 0: "1,0"
//   PHASES   "WORK:FACTOR,...": seconds on class 0, and how much faster class 1 is; a last WORK of
//   0
//            has no end
//   UP       a directory, where it writes a counter file as a runtime does; - for none
//   THREADS  of its own; all but the first compute, and are not counted
// What it does in the first .3 s is not counted: ampd has not placed it yet.
// SIGUSR1 forgets what was counted so far. At its end, or at SIGTERM, it prints its CPU time by
// class, and how often it came to another class, as JSON.
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

struct UpFile {
#define UP(type, name, count, meaning) type name[count];
#include "../../libgomp/amp/up/up.def"
};

struct Phase {
  double work, factor;
};

volatile std::sig_atomic_t reset_asked, end_asked;

double seconds(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void compute() {
  std::atomic<unsigned> count = 0;
  while (count.fetch_add(1, std::memory_order_relaxed) < 20000)
    ;
}

std::uint64_t started() {
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  std::size_t at = text.rfind(')');
  for (int field = 2; field < 22; field++)
    at = text.find(' ', at + 1);
  return std::strtoull(text.c_str() + at + 1, nullptr, 10);
}

UpFile *make_up(const std::string &directory) {
  const std::string path = directory + "/" + std::to_string(getpid());
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0 || ftruncate(fd, sizeof(UpFile)) != 0)
    return nullptr;
  void *const map = mmap(nullptr, sizeof(UpFile), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED)
    return nullptr;
  UpFile *const up = static_cast<UpFile *>(map);
  up->magic[0] = UP_MAGIC;
  up->size[0] = sizeof *up;
  up->start[0] = started();
  up->threads[0] = 1;
  up->classes[0] = 2;
  up->factor[0] = 1000;
  return up;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  std::vector<int> classes;
  for (const char *p = argv[1]; p && *p;
       p = std::strchr(p, ',') ? std::strchr(p, ',') + 1 : nullptr)
    classes.push_back(std::atoi(p));
  std::vector<Phase> phases;
  for (char *p = argv[2]; *p;) {
    Phase phase;
    phase.work = std::strtod(p, &p);
    phase.factor = std::strtod(p + 1, &p);
    phases.push_back(phase);
    p += *p == ',';
  }
  UpFile *const up = argc > 3 ? make_up(argv[3]) : nullptr;
  for (int i = argc > 4 ? std::atoi(argv[4]) : 1; i > 1; i--)
    std::thread([] {
      for (;;)
        compute();
    }).detach();
  std::signal(SIGUSR1, [](int) { reset_asked = 1; });
  std::signal(SIGTERM, [](int) { end_asked = 1; });
  double cpu_s[2] = {}, before = seconds(CLOCK_THREAD_CPUTIME_ID);
  const double start = seconds(CLOCK_MONOTONIC);
  bool settled = false;
  int migrations = 0, last = -1;
  for (const Phase &phase : phases) {
    for (double done = 0; !end_asked && (phase.work == 0 || done < phase.work);) {
      compute();
      const double now = seconds(CLOCK_THREAD_CPUTIME_ID), passed = now - before;
      before = now;
      const int cpu = sched_getcpu();
      const int c = cpu >= 0 && cpu < static_cast<int>(classes.size()) ? classes[cpu] : 0;
      cpu_s[c] += passed;
      migrations += last >= 0 && c != last;
      last = c;
      const double work = passed * (c ? phase.factor : 1);
      done += work;
      if (up) {
        up->factor[1] = static_cast<std::uint32_t>(phase.factor * 1e3);
        up->samples[0] = up->samples[1] = 1;
        up->regions[0]++;
        up->parallel_ns[0] += static_cast<std::uint64_t>(passed * 1e9);
        up->work_ns[0] += static_cast<std::uint64_t>(work * 1e9);
      }
      if (reset_asked || (!settled && seconds(CLOCK_MONOTONIC) - start > 0.3)) {
        reset_asked = 0;
        settled = true;
        cpu_s[0] = cpu_s[1] = 0;
        migrations = 0;
      }
    }
  }
  std::printf("{\"cpu_s\": [%.6f, %.6f], \"migrations\": %d}\n", cpu_s[0], cpu_s[1], migrations);
  return 0;
}
