// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a megabyte again and again, a cache line at a time; with an argument until it is killed.
#include <atomic>
#include <vector>

int main(int argc, char **) {
  std::vector<std::atomic<char>> memory(1 << 20);
  for (int round = 0; round < 12 || argc > 1; round++)
    for (std::size_t at = 0; at < memory.size(); at += 64)
      memory[at].load(std::memory_order_relaxed);
}
