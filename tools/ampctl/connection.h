// SPDX-License-Identifier: GPL-3.0-or-later
// A connection to this user's ampd.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

namespace amp {

class Connection {
public:
  // Throws Failure, with why, if none runs.
  Connection();
  ~Connection();
  Connection(const Connection &) = delete;

  // The answer; none: ampd has ended, or does not answer. Throws Failure with the answer's error.
  std::optional<nlohmann::json> ask(const nlohmann::json &request);

private:
  int fd_;
};

} // namespace amp
