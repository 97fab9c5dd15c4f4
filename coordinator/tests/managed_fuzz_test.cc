// SPDX-License-Identifier: GPL-3.0-or-later
// The manager under random events.
#include "live.h"

#include <algorithm>
#include <cerrno>
#include <gtest/gtest.h>
#include <set>
#include <unistd.h>

namespace coord {
namespace {

class ManagedFuzz : public testing::TestWithParam<const PolicyRow *> {};

// A random event of a system with the processes ALIVE, of which FOREIGN have masks that others
// changed, and UNSEEN were started by others. BELOW draws a number.
template <class Below>
static void change(Live &live, std::vector<pid_t> &alive, std::set<pid_t> &foreign,
                   std::set<pid_t> &unseen, Below below) {
  const pid_t pid = alive.empty() ? 0 : alive[below(static_cast<int>(alive.size()))];
  const int event = below(12);
  if (event == 0 && alive.size() < 8) {
    // A number that was free, or one of before.
    const pid_t begun = live.system.begin(1 + below(6), below(2) ? 5000 + below(4) : 0);
    std::erase(alive, begun);
    live.manager->died(begun);
    foreign.erase(begun);
    alive.push_back(begun);
    try {
      live.manager->arrive({.pid = begun, .name = "p"});
    } catch (const Refusal &) {
    }
  } else if (pid && event == 1) {
    live.system.end(pid);
    std::erase(alive, pid);
    if (below(2))
      live.manager->died(pid);
  } else if (pid && event == 2)
    live.system.add(pid);
  else if (pid && event == 3 && live.system.table.at(pid).threads.size() > 1)
    live.system.end(pid, live.system.table.at(pid).threads.rbegin()->first);
  else if (pid && event == 4)
    live.system.table.at(pid).threads.rbegin()->second.runs = below(2);
  else if (pid && event == 5 && below(4) == 0) {
    live.system.thread(pid).mask = CpuSet().set(below(4));
    foreign.insert(pid);
  } else if (pid && event == 6 && below(4) == 0)
    try {
      live.manager->release(pid);
    } catch (const Refusal &) {
    }
  else if (pid && event == 7 && alive.size() < 8) {
    alive.push_back(live.system.fork(pid));
    unseen.insert(alive.back());
    if (foreign.contains(pid))
      foreign.insert(alive.back());
  }
}

// Threads and programs come and go, numbers are used again, any call fails at any time, others
// change masks: whatever happens, the manager lives, no mask leaves the original, and what is not
// restored by the manager is by the journal.
TEST_P(ManagedFuzz, MasksAreAlwaysOurResponsibility) {
  for (std::uint64_t seed = 1; seed <= 6; seed++) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    Live live(below(2) ? "2x3+3x1" : "1x3+2x2+1x1", GetParam()->name);
    std::set<pid_t> foreign; // programs whose masks others changed
    std::set<pid_t> unseen;  // whose parents ended before the manager saw them
    bool failing = false;
    live.system.fails = [&] {
      constexpr int errors[] = {EPERM, ESRCH, EINVAL};
      return failing && below(10) == 0 ? errors[below(3)] : 0;
    };
    std::vector<pid_t> alive;
    for (int step = 0; step < 400; step++) {
      failing = step < 350 && below(4) == 0;
      change(live, alive, foreign, unseen, below);
      live.manager->tick();
      std::erase_if(unseen, [&](pid_t pid) { return live.manager->knows(pid); });
      live.system.advance(20 * kMillisecond);
    }
    failing = false;
    if (below(2))
      live.manager.reset();
    live.replay();
    for (const pid_t pid : alive)
      if (!foreign.contains(pid) && !unseen.contains(pid)) {
        for (const auto &[tid, thread] : live.system.table.at(pid).threads)
          ASSERT_EQ(cpu_list(thread.mask), cpu_list(live.chip.all)) << pid << ' ' << tid;
      }
  }
}

TEST_P(ManagedFuzz, FiveHundredCores) {
  Live live("256x3+256x1", GetParam()->name);
  std::vector<pid_t> pids;
  for (int i = 0; i < 12; i++)
    pids.push_back(live.run(16));
  for (int i = 0; i < 30; i++) {
    live.manager->tick();
    live.system.advance(10 * kMillisecond);
  }
  int with_cpus = 0;
  for (const pid_t pid : pids)
    with_cpus += live.status(pid).cpus.any();
  EXPECT_EQ(with_cpus, 12);
}

std::vector<const PolicyRow *> rows() {
  std::vector<const PolicyRow *> found;
  for (const PolicyRow &row : policies())
    if (row.live)
      found.push_back(&row);
  return found;
}

INSTANTIATE_TEST_SUITE_P(Policies, ManagedFuzz, testing::ValuesIn(rows()), [](const auto &info) {
  std::string name = info.param->name;
  std::ranges::replace(name, '-', '_');
  return name;
});

} // namespace
} // namespace coord
