// SPDX-License-Identifier: GPL-3.0-or-later
// In place of debug-info.cc where there is no libdw, as in the Python wheel.
#include "amp-emu/debug-info.h"

#include "common/command.h"

namespace amp {

[[noreturn]] static void refuse() {
  throw Failure("virtual: --sf-file: this amp-emu was built without libdw, and reads no lines "
                "SOURCE:LINE; expected MODULE+0xOFFSET, as GOMP_AID_SF_SAVE writes; nothing was "
                "run");
}

DebugInfo read_debug_info(const std::string &) { refuse(); }

std::uint64_t base_address(const std::string &) { refuse(); }

} // namespace amp
