// SPDX-License-Identifier: GPL-3.0-or-later
#include "linux/family.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace coord {

std::vector<Child> find_children(System &system, const std::vector<pid_t> &candidates,
                                 const std::function<bool(pid_t)> &known) {
  std::vector<Child> left, found;
  for (const pid_t pid : candidates)
    if (const auto parent = system.parent(pid); parent && !known(pid))
      left.push_back({pid, *parent});
  std::set<pid_t> members;
  // A child has a lower number than its parent where numbers have begun again from the lowest.
  for (std::size_t before = left.size() + 1; left.size() < before;) {
    before = left.size();
    std::erase_if(left, [&](const Child &child) {
      const bool ours = known(child.parent) || members.contains(child.parent);
      if (ours) {
        members.insert(child.pid);
        found.push_back(child);
      }
      return ours;
    });
  }
  return found;
}

std::vector<pid_t> Births::look(System &system) {
  std::vector<pid_t> now = system.processes(), begun;
  std::ranges::set_difference(now, seen_, std::back_inserter(begun));
  seen_ = std::move(now);
  return begun;
}

} // namespace coord
