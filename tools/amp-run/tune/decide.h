// SPDX-License-Identifier: GPL-3.0-or-later
// Which way a program is run: as the user says, as an entry says, or plain.
#pragma once

#include "amp-run/tune/take-way.h"

#include <string>

namespace amp {

struct Decision {
  const Way *way = nullptr; // null: plain, as nothing decides
  std::string by;           // "--way", or "FILE:LINE" of an entry
  std::string why_none;     // why no entry decides: no entry, or what the user set
};

// Which way TARGET is run, if the user chose none. Reports damaged files on stderr, and if VERBOSE
// entries that do not count.
Decision decide(const Target &target, bool verbose);

// Says once a day for each program that TARGET was never tuned, if it may gain: on a terminal,
// where cores differ, if it has parallel regions or is a program of Python. LIBRARY is ours.
void advise_to_tune(const Target &target, const std::string &library);

} // namespace amp
