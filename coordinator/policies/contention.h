// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/policy.h"
#include "model/contention.h"

#include <memory>

namespace coord {

// The policy "contention" with MODEL in place of its own.
std::unique_ptr<Policy> make_contention_by(const Setup &setup,
                                           std::shared_ptr<const SlowdownModel> model);

} // namespace coord
