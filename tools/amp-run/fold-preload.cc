// SPDX-License-Identifier: GPL-3.0-or-later
// Preloads the library whose sched_yield is a switching point of folded teams.
#include "amp-run/fold-preload.h"

#include "common/command.h"
#include "common/preload.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace amp {

bool folds() {
  const char *const value = std::getenv("GOMP_AMP_FOLD");
  return value && *value && value[std::strspn(value, " \t0")] != '\0';
}

std::string with_second(const std::string &list, const std::string &library) {
  constexpr char separators[] = " :";
  std::size_t begin = 0;
  while (begin < list.size()) {
    const std::size_t end = std::min(list.find_first_of(separators, begin), list.size());
    if (list.compare(begin, end - begin, library) == 0)
      return list;
    begin = end + 1;
  }
  std::size_t first = std::min(list.find_first_of(separators), list.size());
  // AddressSanitizer's library comes first, if it is there.
  if (list.substr(0, first).find("/libasan.so") != list.npos && first < list.size())
    first = std::min(list.find_first_of(separators, first + 1), list.size());
  return list.substr(0, first) + ":" + library + list.substr(first);
}

std::optional<std::string> preload_for_folding() {
  if (!folds())
    return std::nullopt;
  const char *const list = std::getenv("LD_PRELOAD");
  const std::string value = with_second(list ? list : "", own_library("libamp-yield.so"));
  if (setenv("LD_PRELOAD", value.c_str(), 1) != 0)
    throw Failure(std::string("LD_PRELOAD: ") + std::strerror(errno));
  return value;
}

} // namespace amp
