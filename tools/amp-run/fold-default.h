// SPDX-License-Identifier: GPL-3.0-or-later
// Whether amp-run folds a program of which the user did not say whether it is to be folded.
#pragma once

#include "amp-run/fold-value.h"
#include "amp-run/modules.h"

#include <optional>
#include <string>

namespace amp {

// Why a program that loads MODULES at its start is not folded unasked; nothing if it is. CALLS are
// the regions that are called. Folded are programs whose regions are all called, as far as their
// imports show: in short regions turns lose (docs/folding-results.md).
std::optional<std::string> reason_not_to_fold(const Modules &modules, FoldCalls calls);

} // namespace amp
