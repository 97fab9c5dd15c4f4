// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/registry.h"

#include <sstream>
#include <stdexcept>

namespace coord {

#define POLICY(identifier, ...) std::unique_ptr<Policy> make_##identifier(const Setup &);
#include "policies/policies.def"

const InputRow &input_row(Input input) {
  static constexpr InputRow rows[] = {
#define INPUT(identifier, key, meaning) {key, meaning},
#include "core/inputs.def"
  };
  return rows[static_cast<int>(input)];
}

std::span<const PolicyRow> policies() {
  static const std::vector<PolicyRow> rows = [] {
    std::vector<PolicyRow> made;
#define POLICY(identifier, name, kind, summary, source)                                            \
  made.push_back({name, PolicyRow::kind, summary, source, {}, {}, false, make_##identifier});
#define LIVE made.back().live = true;
#define NEEDS(input) made.back().needs.push_back(Input::input);
#define PARAMETER(name, initial, least, most, unit, meaning, source)                               \
  made.back().parameters.push_back({name, initial, least, most, unit, meaning, source});
#include "policies/policies.def"
    return made;
  }();
  return rows;
}

const PolicyRow *find_policy(std::string_view name) {
  for (const PolicyRow &row : policies())
    if (row.name == name)
      return &row;
  return nullptr;
}

Setup make_setup(std::string_view name, const Machine &machine, const Parameters &parameters,
                 std::uint64_t seed) {
  const PolicyRow *const row = find_policy(name);
  std::ostringstream problem;
  if (!row) {
    problem << "policy '" << name << "': expected one of";
    for (const PolicyRow &other : policies())
      problem << ' ' << other.name;
    throw std::invalid_argument(problem.str());
  }
  Setup setup{machine, {}, seed};
  for (const ParameterRow &parameter : row->parameters)
    setup.parameters[parameter.name] = parameter.initial;
  for (const auto &[key, value] : parameters) {
    const auto known = setup.parameters.find(key);
    if (known == setup.parameters.end()) {
      problem << "policy " << name << " has no parameter '" << key << "'; expected one of:";
      for (const ParameterRow &parameter : row->parameters)
        problem << ' ' << parameter.name;
      throw std::invalid_argument(problem.str());
    }
    for (const ParameterRow &parameter : row->parameters)
      if (parameter.name == key && !(value >= parameter.least && value <= parameter.most)) {
        problem << "parameter '" << key << "' of policy " << name << ": " << value << "; expected "
                << parameter.least << " to " << parameter.most << (*parameter.unit ? " " : "")
                << parameter.unit;
        throw std::invalid_argument(problem.str());
      }
    known->second = value;
  }
  return setup;
}

std::unique_ptr<Policy> make_policy(std::string_view name, const Machine &machine,
                                    const Parameters &parameters, std::uint64_t seed) {
  const Setup setup = make_setup(name, machine, parameters, seed);
  return find_policy(name)->make(setup);
}

std::unique_ptr<Policy> make_live_policy(std::string_view name, const Machine &machine,
                                         const Parameters &parameters) {
  if (const PolicyRow *const row = find_policy(name); row && !row->live) {
    std::string problem = "policy '" + std::string(name) + "' is ampsim's alone: expected one of";
    for (const PolicyRow &other : policies())
      problem += other.live ? std::string(" ") + other.name : "";
    throw std::invalid_argument(problem);
  }
  return make_policy(name, machine, parameters);
}

} // namespace coord
