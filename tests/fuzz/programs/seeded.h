// SPDX-License-Identifier: GPL-3.0-or-later
// Runs random programs, each from a seed of its own, and says which seed failed.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace CLI {
class App;
}

/// Random choices that are the same for the same seed everywhere.
class Choice {
public:
  explicit Choice(std::uint64_t seed) : engine(seed) {}
  std::uint64_t bits() { return engine(); }
  /// A number in \p low .. \p high.
  int between(int low, int high) { return low + int(engine() % std::uint64_t(high - low + 1)); }
  bool oneIn(int n) { return engine() % std::uint64_t(n) == 0; }
  template <typename T> T of(const std::vector<T> &values) {
    return values[engine() % values.size()];
  }

private:
  std::mt19937_64 engine;
};

/// Any thread says that the running program did not behave; the first word is kept.
void fail(const std::string &what);

/// Run \p program with the seeds that the arguments name, until one fails; returns main's result.
/// \p addOptions adds arguments of the program's own.
int runSeeded(int argc, char **argv, const char *description, void (*program)(std::uint64_t seed),
              const std::function<void(CLI::App &)> &addOptions = {});
