// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a way is faster than plain runs, or the times are noise.
#pragma once

#include <cstddef>
#include <vector>

namespace amp {

double median(std::vector<double> values);

enum class Verdict { no, undecided, gains };

// Less gain than this is none.
constexpr double least_gain = 1.03;

// Whether runs that took WAY seconds were faster than those that took PLAIN in the same rounds.
Verdict judge(const std::vector<double> &plain, const std::vector<double> &way);

// How many times faster than PLAIN WAY was, in the median of the rounds that both have.
double median_gain(const std::vector<double> &plain, const std::vector<double> &way);

} // namespace amp
