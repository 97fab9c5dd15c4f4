// SPDX-License-Identifier: GPL-3.0-or-later
#include "draw.h"

namespace learn {

Times costs_of(const std::string &shape, size_t ids, std::mt19937_64 &random) {
  Times costs(ids, 1);
  const size_t heavy = number(random, 0, ids - 1);
  const bool falling = number(random, 0, 1);
  for (size_t id = 0; id < ids; id++) {
    const double place = (double(falling ? ids - 1 - id : id) + .5) / double(ids);
    if (shape == "triangular")
      costs[id] = place;
    else if (shape == "stepped")
      costs[id] = place < .5 ? 1 : 10;
    else if (shape == "random")
      costs[id] = uniform(random, .2, 2);
    else if (shape == "one heavy")
      costs[id] = id == heavy ? 5 : 1;
  }
  return costs;
}

Machine random_machine(std::mt19937_64 &random) {
  Machine machine;
  const auto add = [&](size_t count, double speed) {
    machine.speed.insert(machine.speed.end(), count, speed);
  };
  const double factor = uniform(random, 1, 9);
  if (number(random, 0, 1)) {
    machine.name = "two classes";
    add(number(random, 1, 6), factor);
  } else {
    machine.name = "three classes";
    add(number(random, 1, 2), factor);
    add(number(random, 1, 4), uniform(random, 1, factor));
  }
  add(number(random, 1, 6), 1);
  return machine;
}

Times told(const Times &speed, const std::string &known) {
  Times believed;
  for (const double one : speed)
    believed.push_back(known == "right"   ? one
                       : known == "twice" ? 1 + (one - 1) * 2
                       : known == "half"  ? 1 + (one - 1) / 2
                                          : 1);
  return believed;
}

} // namespace learn
