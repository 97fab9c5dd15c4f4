// SPDX-License-Identifier: GPL-3.0-or-later
#include "linux/linux.h"

#include "linux/up.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

namespace coord {

namespace {

// "123/task/456" and a file of it.
std::string task_path(pid_t pid, pid_t tid, const char *name) {
  return "/proc/" + std::to_string(pid) + "/task/" + std::to_string(tid) + "/" + name;
}

std::string read_file(const std::string &path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char text[1024];
  const ssize_t size = file.get() < 0 ? -1 : read(file.get(), text, sizeof text);
  return {text, static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

// Field NUMBER of proc(5)'s stat, from 3 on; empty: there is none. The second field, the name in
// parentheses, can have any bytes in it.
std::string stat_field(pid_t pid, pid_t tid, int number) {
  const std::string text = read_file(task_path(pid, tid, "stat"));
  std::size_t at = text.rfind(')');
  for (int field = 2; field < number && at != std::string::npos; field++)
    at = text.find(' ', at + 1);
  if (at == std::string::npos)
    return {};
  return text.substr(at + 1, text.find_first_of(" \n", at + 1) - at - 1);
}

template <class T> std::optional<T> number(const std::string &text) {
  T value{};
  const char *const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  return parsed.ec == std::errc() && parsed.ptr == end ? std::optional(value) : std::nullopt;
}

// The names in PATH that are numbers, in order.
std::vector<pid_t> numbers_in(const std::string &path) {
  std::vector<pid_t> found;
  DIR *const directory = opendir(path.c_str());
  if (!directory)
    return found;
  while (const dirent *const entry = readdir(directory))
    if (const auto each = number<pid_t>(entry->d_name))
      found.push_back(*each);
  closedir(directory);
  std::ranges::sort(found);
  return found;
}

} // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0)
    close(fd_);
}

Time Linux::now() const {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

std::vector<pid_t> Linux::processes() { return numbers_in("/proc"); }

std::optional<pid_t> Linux::parent(pid_t pid) { return number<pid_t>(stat_field(pid, pid, 4)); }

std::vector<pid_t> Linux::threads(pid_t pid) {
  return numbers_in("/proc/" + std::to_string(pid) + "/task");
}

std::optional<std::uint64_t> Linux::start(pid_t pid, pid_t tid) {
  return number<std::uint64_t>(stat_field(pid, tid, 22));
}

std::optional<uid_t> Linux::owner(pid_t pid) {
  struct stat status;
  return stat(("/proc/" + std::to_string(pid)).c_str(), &status) == 0 ? std::optional(status.st_uid)
                                                                      : std::nullopt;
}

std::optional<TaskTimes> Linux::times(const TaskId &task) {
  auto known = schedstats_.find(task);
  if (known == schedstats_.end()) {
    Descriptor file(open(task_path(task.pid, task.tid, "schedstat").c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0)
      return {};
    known = schedstats_.emplace(task, std::move(file)).first;
  }
  // The open file stays that thread's: where its number is used again, reading fails.
  char text[128];
  const ssize_t size = pread(known->second.get(), text, sizeof text, 0);
  TaskTimes times;
  const char *const end = text + std::max<ssize_t>(size, 0);
  const auto cpu = std::from_chars(text, end, times.cpu);
  if (cpu.ec != std::errc() || cpu.ptr == end)
    return {};
  std::from_chars(cpu.ptr + 1, end, times.waited);
  return times;
}

std::optional<int> Linux::cpu(const TaskId &task) {
  return number<int>(stat_field(task.pid, task.tid, 39));
}

std::optional<CpuSet> Linux::mask(pid_t tid) {
  cpu_set_t set[kMostCpus / CPU_SETSIZE];
  std::memset(set, 0, sizeof set);
  if (sched_getaffinity(tid, sizeof set, set) != 0)
    return {};
  CpuSet cpus;
  for (int cpu = 0; cpu < kMostCpus; cpu++)
    if (CPU_ISSET_S(cpu, sizeof set, set))
      cpus.set(cpu);
  return cpus;
}

int Linux::set_mask(pid_t tid, const CpuSet &cpus) {
  cpu_set_t set[kMostCpus / CPU_SETSIZE];
  std::memset(set, 0, sizeof set);
  for_each_cpu(cpus, [&](int cpu) { CPU_SET_S(cpu, sizeof set, set); });
  return sched_setaffinity(tid, sizeof set, set) == 0 ? 0 : errno;
}

std::optional<Counted> Linux::counted(pid_t pid, std::uint64_t start) {
  if (up_.empty())
    return {};
  // A file in the user's own directory can be anything, also a pipe on which opening would wait.
  const Descriptor file(open((up_ + "/" + std::to_string(pid)).c_str(),
                             O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  struct stat status;
  if (file.get() < 0 || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_uid != geteuid())
    return {};
  char bytes[sizeof(UpFile)];
  const ssize_t size = pread(file.get(), bytes, sizeof bytes, 0);
  return parse_up({bytes, static_cast<std::size_t>(std::max<ssize_t>(size, 0))}, start);
}

} // namespace coord
