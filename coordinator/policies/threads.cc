// SPDX-License-Identifier: GPL-3.0-or-later
#include "policies/threads.h"

#include "model/miss_model.h"

#include <algorithm>
#include <cmath>

namespace coord {

std::vector<double> offline_factors(const Machine &machine, const Profile &profile) {
  const auto known = [](double value) { return std::isfinite(value) && value > 0; };
  if (profile.factors.size() == machine.classes.size() &&
      std::ranges::all_of(profile.factors, known))
    return profile.factors;
  const double misses = profile.misses.value_or(0);
  return miss_factors(machine, std::isfinite(misses) ? std::max(0.0, misses) : 0);
}

Partitions::Partitions(const Machine &machine, const State &state)
    : machine_(machine), counts_(machine.classes.size()) {
  for (const ApplicationState &app : state.apps)
    for (const ThreadState &thread : app.threads)
      if (const int c = class_of(thread); c >= 0 && thread.runnable)
        counts_[c]++;
}

int Partitions::class_of(const ThreadState &thread) const {
  return thread.place.kind == Place::OfClass  ? thread.place.index
         : thread.place.kind == Place::OnCore ? machine_.cores[thread.place.index].core_class
                                              : -1;
}

void Partitions::move(int from, int to) {
  if (from >= 0)
    counts_[from]--;
  counts_[to]++;
}

int Partitions::emptiest() const {
  int found = machine_.fastest();
  const auto with_one_more = [&](int c) { return (counts_[c] + 1.0) / machine_.classes[c].cores; };
  for (int c = machine_.fastest() - 1; c >= 0; c--)
    if (idle(c) != idle(found) ? idle(c) : !idle(c) && with_one_more(c) < with_one_more(found))
      found = c;
  return found;
}

bool Partitions::idle() const {
  for (int c = 0; c < machine_.class_count(); c++)
    if (idle(c))
      return true;
  return false;
}

} // namespace coord
