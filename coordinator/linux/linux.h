// SPDX-License-Identifier: GPL-3.0-or-later
// The operating system, by /proc and system calls.
#pragma once

#include "linux/system.h"

#include <map>
#include <string>

namespace coord {

// A descriptor that is closed with it.
class Descriptor {
public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor &&other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor();
  int get() const { return fd_; }

private:
  int fd_;
};

class Linux final : public System {
public:
  // UP: the directory of counter files; empty: there is none.
  explicit Linux(std::string up = {}) : up_(std::move(up)) {}

  Time now() const override;
  std::vector<pid_t> processes() override;
  std::optional<pid_t> parent(pid_t pid) override;
  std::vector<pid_t> threads(pid_t pid) override;
  std::optional<std::uint64_t> start(pid_t pid, pid_t tid) override;
  std::optional<uid_t> owner(pid_t pid) override;
  std::optional<TaskTimes> times(const TaskId &task) override;
  void forget(const TaskId &task) override { schedstats_.erase(task); }
  std::optional<int> cpu(const TaskId &task) override;
  std::optional<CpuSet> mask(pid_t tid) override;
  int set_mask(pid_t tid, const CpuSet &cpus) override;
  std::optional<Counted> counted(pid_t pid, std::uint64_t start) override;

private:
  std::string up_;
  std::map<TaskId, Descriptor> schedstats_;
};

} // namespace coord
