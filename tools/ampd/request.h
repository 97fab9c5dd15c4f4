// SPDX-License-Identifier: GPL-3.0-or-later
// Requests and answers as JSON objects, one a message. A request has the key "do"; an answer has
// "error" if it was not met.
#pragma once

#include "linux/manager.h"

#include <nlohmann/json.hpp>

namespace amp {

// TEXT as an object; throws coord::Refusal.
nlohmann::json parse_request(const std::string &text);

// Of a request to run or adopt: all but who it is. Throws coord::Refusal.
coord::Newcomer newcomer_of(const nlohmann::json &request, const coord::Machine &machine);

// Of a request for a policy.
coord::Parameters parameters_of(const nlohmann::json &request);

nlohmann::json status_of(const coord::Manager &manager);

} // namespace amp
