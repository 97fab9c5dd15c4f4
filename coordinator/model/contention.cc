// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/contention.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace coord {

Pressure &operator+=(Pressure &sum, const Pressure &added) {
  sum.cache += added.cache;
  sum.bus += added.bus;
  sum.memory += added.memory;
  return sum;
}

double clamp_slowdown(double percent) {
  return std::isnan(percent) ? 0 : std::clamp(percent, 0.0, kMostSlowdown);
}

double weighted_slowdown(const SlowdownWeights &weights, const Pressure &own,
                         const Pressure &others) {
  return weights[0] * own.cache + weights[1] * own.bus + weights[2] * own.memory +
         weights[3] * others.bus + weights[4] * others.memory + weights[5];
}

void PressureModel::predict(const Machine &machine, std::span<const Resident> residents,
                            std::span<double> percent) const {
  std::vector<Pressure> own(machine.llcs.size());
  Pressure all;
  for (const Resident &resident : residents) {
    const Core &core = machine.cores[resident.core];
    const ContentionProfile *const profile = resident.app->profile.contention.get();
    if (profile && core.core_class < static_cast<int>(profile->pressure.size())) {
      own[core.llc] += profile->pressure[core.core_class];
      all += profile->pressure[core.core_class];
    }
  }
  for (std::size_t i = 0; i < residents.size(); i++) {
    const Core &core = machine.cores[residents[i].core];
    const ContentionProfile *const profile = residents[i].app->profile.contention.get();
    percent[i] = 0;
    if (!profile || core.core_class >= static_cast<int>(profile->coefficients.size()))
      continue;
    const Pressure &here = own[core.llc];
    percent[i] =
        clamp_slowdown(weighted_slowdown(profile->coefficients[core.core_class], here,
                                         {0, all.bus - here.bus, all.memory - here.memory}));
  }
}

} // namespace coord
