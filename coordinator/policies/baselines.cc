// SPDX-License-Identifier: GPL-3.0-or-later
// Policies to compare with.
#include "core/policy.h"

#include <memory>

namespace coord {

namespace {

class Sticky final : public Policy {
public:
  // Threads are Anywhere from the start, and the operating system moves none without need.
  void decide(const State &, Decisions &) override {}
};

} // namespace

std::unique_ptr<Policy> make_sticky(const Setup &) { return std::make_unique<Sticky>(); }

} // namespace coord
