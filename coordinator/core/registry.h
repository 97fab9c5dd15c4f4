// SPDX-License-Identifier: GPL-3.0-or-later
// The policies by name, from policies.def.
#pragma once

#include "core/policy.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace coord {

struct ParameterRow {
  const char *name;
  double initial, least, most;
  const char *unit, *meaning, *source;
};

// What a policy goes by in addition to CPU time: a row of inputs.def.
enum class Input {
#define INPUT(identifier, key, meaning) identifier,
#include "core/inputs.def"
};
struct InputRow {
  const char *key, *meaning;
};
const InputRow &input_row(Input input);

struct PolicyRow {
  enum Kind { Threads, Allocation, Baseline };
  const char *name;
  Kind kind;
  const char *summary, *source;
  std::vector<ParameterRow> parameters;
  std::vector<Input> needs;
  bool live = false; // ampd's, too
  std::unique_ptr<Policy> (*make)(const Setup &setup);
};

// All rows of policies.def, in its order.
std::span<const PolicyRow> policies();

// Null if there is none of that name.
const PolicyRow *find_policy(std::string_view name);

// What policy NAME is made from: PARAMETERS in place of its defaults. Throws as make_policy does.
Setup make_setup(std::string_view name, const Machine &machine, const Parameters &parameters = {},
                 std::uint64_t seed = 1);

// A policy with PARAMETERS in place of defaults. Throws std::invalid_argument, with what is
// expected, if there is no policy NAME, or no such parameter, or a value is out of its bounds.
std::unique_ptr<Policy> make_policy(std::string_view name, const Machine &machine,
                                    const Parameters &parameters = {}, std::uint64_t seed = 1);

// The same for a daemon. Throws also if the policy is the simulator's alone.
std::unique_ptr<Policy> make_live_policy(std::string_view name, const Machine &machine,
                                         const Parameters &parameters = {});

} // namespace coord
