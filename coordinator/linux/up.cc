// SPDX-License-Identifier: GPL-3.0-or-later
#include "linux/up.h"

#include <cstring>

namespace coord {

namespace {

constexpr double kMostFactor = 32; // as the runtime's sf_max
// A century: no process counts longer.
constexpr std::uint64_t kMostNs = UINT64_C(3'155'760'000) * 1'000'000'000;

} // namespace

std::optional<Counted> parse_up(const std::string &bytes, std::uint64_t start) {
  UpFile file;
  if (bytes.size() < sizeof file)
    return {};
  std::memcpy(&file, bytes.data(), sizeof file);
  if (file.magic[0] != UP_MAGIC || file.size[0] < sizeof file || file.start[0] != start ||
      file.work_ns[0] > kMostNs || file.parallel_ns[0] > kMostNs)
    return {};
  Counted counted;
  counted.follows = file.flags[0] & UP_FOLLOWS;
  counted.work_s = static_cast<double>(file.work_ns[0]) / 1e9;
  counted.parallel_s = static_cast<double>(file.parallel_ns[0]) / 1e9;
  for (std::uint32_t c = 0; c < file.classes[0] && c < UP_CLASSES; c++) {
    const double factor = file.factor[c] / 1e3;
    if (factor < 1 / kMostFactor || factor > kMostFactor) {
      counted.factors.clear();
      break;
    }
    counted.factors.push_back(factor);
  }
  return counted;
}

} // namespace coord
