// SPDX-License-Identifier: GPL-3.0-or-later
// In place of conduct.cc where the coordinator is not built.
#include "amp-emu/conduct.h"

namespace amp {

std::vector<Conducted> split_programs(const Command &command) { return {{0, command}}; }

void check_manager(const Manager &, const Machine &) {
  throw Failure("virtual: --policy: this amp-emu was built without ampd's policies; nothing was "
                "run");
}

nlohmann::ordered_json conduct(const std::vector<Conducted> &, const Manager &, const Machine &) {
  return {};
}

} // namespace amp
