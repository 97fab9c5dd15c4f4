// SPDX-License-Identifier: GPL-3.0-or-later
// When tasks became ready and when they started, and whether that was in one order.
#pragma once

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <vector>

// Moments are numbers that all threads draw from one counter. A task's readiness can't be seen from
// outside; it lies between a moment before and one after.
class EventLog {
public:
  static constexpr long kNever = LONG_MAX;

  struct Task {
    long ready_from = kNever, ready_until = kNever, started = kNever, ended = kNever;
    int thread = 0, starts = 0;
  };

  EventLog(long tasks, int threads) : tasks_(tasks), threads_(threads), moments_(threads) {}

  Task &operator[](long task) { return tasks_[task]; }
  long size() const { return long(tasks_.size()); }

  // A moment of the calling thread's.
  long now() {
    const long moment = next_++;
    moments_[omp_get_thread_num()].push_back(moment);
    return moment;
  }

  void start(long task) {
    tasks_[task].thread = omp_get_thread_num();
    tasks_[task].started = now();
    tasks_[task].starts++;
  }
  void end(long task) { tasks_[task].ended = now(); }

  // TASK, which was created within its readiness's bounds, had to wait for EARLIER too. What the
  // library does when EARLIER ends is done when that thread is next heard of.
  void depends(long task, long earlier) {
    const Task &other = tasks_[earlier];
    const std::vector<long> &own = moments_[other.thread];
    const auto next = std::upper_bound(own.begin(), own.end(), other.ended);
    tasks_[task].ready_from = std::max(tasks_[task].ready_from, other.ended);
    tasks_[task].ready_until =
        std::max(tasks_[task].ready_until, next == own.end() ? kNever : *next);
  }

  // The most tasks that were ready before another one was and started after it. First come, first
  // served, these have been taken by then, and their threads have yet to say so: one a thread.
  long most_overtaken() const {
    std::vector<long> by_from(tasks_.size()), by_until(tasks_.size());
    for (long i = 0; i < size(); i++)
      by_from[i] = by_until[i] = i;
    std::sort(by_from.begin(), by_from.end(),
              [&](long a, long b) { return tasks_[a].ready_from < tasks_[b].ready_from; });
    std::sort(by_until.begin(), by_until.end(),
              [&](long a, long b) { return tasks_[a].ready_until < tasks_[b].ready_until; });
    std::vector<long> started_by(next_ + 1, 0);
    long most = 0, ready = 0;
    for (long task : by_from) {
      for (; ready < size() && tasks_[by_until[ready]].ready_until < tasks_[task].ready_from;
           ready++)
        add(started_by, tasks_[by_until[ready]].started);
      most = std::max(most, ready - count(started_by, tasks_[task].started));
    }
    return most;
  }

  bool all_started_once_each() const {
    return std::all_of(tasks_.begin(), tasks_.end(), [](const Task &t) { return t.starts == 1; });
  }

  int threads() const { return threads_; }

private:
  // A Fenwick tree of moments: how many of those added are at most one of them.
  static void add(std::vector<long> &tree, long moment) {
    for (size_t i = moment + 1; i < tree.size(); i += i & -i)
      tree[i]++;
  }
  static long count(const std::vector<long> &tree, long moment) {
    long sum = 0;
    for (size_t i = moment + 1; i > 0; i -= i & -i)
      sum += tree[i];
    return sum;
  }

  std::vector<Task> tasks_;
  int threads_;
  std::atomic<long> next_{0};
  std::vector<std::vector<long>> moments_;
};
