// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace amp {

// STATUS, ampd's answer, for people.
std::string text_of_status(const nlohmann::json &status);

// The policies: what each goes by, and of how many of its programs that is known.
std::string text_of_policies(const nlohmann::json &status);

} // namespace amp
