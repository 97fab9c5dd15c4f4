// SPDX-License-Identifier: GPL-3.0-or-later
// A program's signature: its misses in last-level caches of 11 sizes and 4 associativities, from a
// trace of its memory accesses by valgrind's lackey.
#pragma once

#include "common/command.h"

#include <cstdint>
#include <vector>

namespace CLI {
class App;
}

namespace amp {

struct SignOptions {
  std::string output;
  double most = 2e8; // instructions
};

void add_sign_options(CLI::App &command, SignOptions &options);
int sign(const SignOptions &options, const Command &command);

// Misses of caches with least recently used replacement. Caches with the same number of sets are
// one stack a set: an access hits in all those with more ways than its depth.
class CacheStacks {
public:
  CacheStacks();
  void access(std::uint64_t address, unsigned bytes);
  void instruction() { instructions_++; }
  std::uint64_t instructions() const { return instructions_; }
  // Misses per 4096 instructions: [ways 4, 8, 16, 32][16 KiB ... 16 MiB].
  std::vector<std::vector<double>> signature() const;

private:
  static constexpr int kDepth = 32, kFirst = 3, kStacks = 14; // 2^3 to 2^16 sets
  struct Stacks {
    std::vector<std::uint64_t> lines; // kDepth a set, the latest first; 0: none
    std::uint64_t hits[kDepth] = {};
  };
  std::vector<Stacks> stacks_;
  std::uint64_t last_ = 0; // the line of the access before
  std::uint64_t accesses_ = 0, instructions_ = 0;
};

} // namespace amp
