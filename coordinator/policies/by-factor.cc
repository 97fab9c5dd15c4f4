// SPDX-License-Identifier: GPL-3.0-or-later
#include "policies/by-factor.h"

#include <algorithm>

namespace coord {

void ByFactor::begin(const State &state) {
  partitions_.emplace(machine_, state);
  entities_.clear();
}

void ByFactor::add(const ThreadState &thread, double factor) {
  entities_.push_back({thread.id, partitions_->class_of(thread), factor});
}

void ByFactor::put(Entity &entity, int c, Decisions &decisions) {
  partitions_->move(entity.core_class, c);
  entity.core_class = c;
  decisions.places.push_back({entity.id, {Place::OfClass, c}});
}

ByFactor::Entity *ByFactor::extreme(int c, bool highest) {
  Entity *found = nullptr;
  for (Entity &entity : entities_)
    if (entity.core_class == c &&
        (!found || (highest ? entity.factor > found->factor : entity.factor < found->factor)))
      found = &entity;
  return found;
}

void ByFactor::swap(ThreadId thread, Decisions &decisions) {
  const auto entity = std::ranges::find(entities_, thread, &Entity::id);
  Entity *partner = nullptr;
  for (int c = 0; c < machine_.class_count(); c++) {
    if (c == entity->core_class)
      continue;
    const bool slower = c < entity->core_class;
    Entity *const other = extreme(c, slower);
    if (other && (slower ? other->factor > entity->factor : other->factor < entity->factor) &&
        (!partner ||
         std::abs(other->factor - entity->factor) > std::abs(partner->factor - entity->factor)))
      partner = other;
  }
  if (!partner)
    return;
  const int here = entity->core_class;
  put(*entity, partner->core_class, decisions);
  put(*partner, here, decisions);
}

void ByFactor::rebalance(Decisions &decisions) {
  const auto loaded = [&](int c, int more) {
    return static_cast<double>(partitions_->threads(c) + more) / machine_.classes[c].cores;
  };
  for (int fast = machine_.fastest(); fast > 0; fast--)
    for (int slow = 0; slow < fast; slow++) {
      while (partitions_->threads(slow) > 0 &&
             (partitions_->idle(fast) || loaded(slow, -1) >= loaded(fast, 1))) {
        Entity *const best = extreme(slow, true);
        if (!best)
          break;
        put(*best, fast, decisions);
      }
      while (!partitions_->idle(fast) &&
             partitions_->threads(fast) > machine_.classes[fast].cores &&
             (partitions_->idle(slow) || loaded(fast, -1) > loaded(slow, 1))) {
        Entity *const worst = extreme(fast, false);
        if (!worst)
          break;
        put(*worst, slow, decisions);
      }
    }
}

} // namespace coord
