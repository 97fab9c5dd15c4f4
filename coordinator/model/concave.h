// SPDX-License-Identifier: GPL-3.0-or-later
// What paper 003 assumes of a table P(n), and how far a measured one is from it: P is a sum of a
// function of each class, and each of these is concave.
#pragma once

#include "core/throughput.h"

namespace coord {

// The sum of a concave function of each class that P is nearest to: a least squares fit of a sum,
// whose increments are then made non-increasing by pooling adjacent violators. The paper says
// "fitted to a concave curve by regression", and no more.
TableThroughput fit_concave(const TableThroughput &p);

} // namespace coord
