// SPDX-License-Identifier: GPL-3.0-or-later
// Time as the coordinator sees it: a clock is handed in, so that a simulator can be one.
#pragma once

#include <cstdint>

namespace coord {

// A moment or a span, in nanoseconds.
using Time = std::int64_t;

constexpr Time kMicrosecond = 1'000;
constexpr Time kMillisecond = 1'000'000;
constexpr Time kSecond = 1'000'000'000;

constexpr double seconds(Time time) { return static_cast<double>(time) * 1e-9; }

class Clock {
public:
  virtual ~Clock() = default;
  // Never goes backwards.
  virtual Time now() const = 0;
};

// Stands where it is put.
struct ManualClock final : Clock {
  Time time = 0;
  Time now() const override { return time; }
};

} // namespace coord
