// SPDX-License-Identifier: GPL-3.0-or-later
#include "linux/journal.h"

#include "linux/family.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <system_error>
#include <unistd.h>

namespace coord {

namespace {

// Longer files are written again with what still counts, each time they have doubled.
constexpr std::size_t kMostBytes = 1 << 18;

std::string line(const TaskId &task) {
  return std::to_string(task.pid) + " " + std::to_string(task.tid) + " " +
         std::to_string(task.start);
}

std::string line(const TaskId &task, const CpuSet &original, const CpuSet &ours) {
  return line(task) + " " + cpu_list(original) + " " + cpu_list(ours) + " .\n";
}

int open_journal(const std::string &file, int flags) {
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
  if (fd < 0)
    throw std::system_error(errno, std::generic_category(), file);
  return fd;
}

} // namespace

Journal::Journal(std::string file)
    : file_(std::move(file)), fd_(open_journal(file_, O_APPEND | O_TRUNC)) {}

Journal::~Journal() { close(fd_); }

bool Journal::write(const std::string &text) {
  // A line that was cut off by a full file system is no line; the next one begins behind it.
  if (::write(fd_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    (void)!::write(fd_, "\n", 1);
    return false;
  }
  size_ += text.size();
  return true;
}

bool Journal::set(const TaskId &task, const CpuSet &original, const CpuSet &ours) {
  Entry &entry = live_[task];
  entry.original = original;
  if (entry.ours.size() == 2)
    entry.ours.erase(entry.ours.begin());
  entry.ours.push_back(ours);
  if (size_ > std::max(kMostBytes, 2 * compacted_))
    compact();
  return write(line(task, original, ours));
}

void Journal::done(const TaskId &task) {
  if (live_.erase(task))
    write(line(task) + " - - .\n");
}

void Journal::compact() {
  std::string text;
  for (const auto &[task, entry] : live_)
    for (const CpuSet &ours : entry.ours)
      text += line(task, entry.original, ours);
  const std::string part = file_ + ".part";
  const int fd = open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0)
    return; // the long file is as good
  if (::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      rename(part.c_str(), file_.c_str()) == 0) {
    close(fd_);
    fd_ = fd;
    size_ = compacted_ = text.size();
  } else
    close(fd);
}

int Journal::replay(const std::string &file, System &system) {
  std::map<TaskId, Entry> found;
  std::ifstream stream(file);
  for (std::string text; std::getline(stream, text);) {
    std::istringstream words(text);
    TaskId task;
    std::string original, ours, end;
    if (!(words >> task.pid >> task.tid >> task.start >> original >> ours >> end) || end != ".")
      continue;
    if (original == "-") {
      found.erase(task);
      continue;
    }
    const auto first = parse_cpu_list(original), second = parse_cpu_list(ours);
    if (!first || !second || first->none())
      continue;
    Entry &entry = found[task];
    entry.original = *first;
    entry.ours.push_back(*second);
  }
  struct Owner {
    CpuSet original;
    std::vector<CpuSet> ours; // of all its threads
  };
  std::map<pid_t, Owner> processes;
  for (const auto &[task, entry] : found)
    if (system.start(task.pid, task.tid) == task.start) {
      Owner &process = processes[task.pid];
      process.original = entry.original;
      process.ours.insert(process.ours.end(), entry.ours.begin(), entry.ours.end());
    }
  for (const Child &child : find_children(system, system.processes(),
                                          [&](pid_t pid) { return processes.contains(pid); }))
    processes[child.pid] = processes[child.parent];
  int restored = 0;
  const auto restore = [&](pid_t tid, const CpuSet &original, const std::vector<CpuSet> &ours) {
    const auto mask = system.mask(tid);
    if (mask && *mask != original && std::ranges::find(ours, *mask) != ours.end())
      restored += system.set_mask(tid, original) == 0;
  };
  for (const auto &[task, entry] : found)
    if (system.start(task.pid, task.tid) == task.start)
      restore(task.tid, entry.original, entry.ours);
  // Twice, for those that a thread made just before its own mask was restored.
  for (int round = 0; round < 2; round++)
    for (const auto &[pid, process] : processes)
      for (const pid_t tid : system.threads(pid)) {
        const auto known = found.lower_bound({pid, tid, 0});
        if (known == found.end() || known->first.tid != tid || known->first.pid != pid)
          restore(tid, process.original, process.ours);
      }
  if (stream.is_open() && truncate(file.c_str(), 0) != 0)
    throw std::system_error(errno, std::generic_category(), file);
  return restored;
}

} // namespace coord
