// SPDX-License-Identifier: GPL-3.0-or-later
// What a run wrote: its output, and files.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace amp {

std::uint64_t hash_of(std::string_view text);
std::string hash_text(std::uint64_t hash); // in hexadecimal

// The hash of what FILE contains, in hexadecimal; empty if it cannot be read, or is no file.
std::string hash_of_file(const std::string &file);

struct Content {
  std::uint64_t hash = 0;
  std::shared_ptr<const std::string> text; // null: it is too large to be compared by lines

  bool operator==(const Content &other) const { return hash == other.hash; }
  bool operator!=(const Content &other) const { return hash != other.hash; }
};

// By name; standard output has the empty one.
using Written = std::map<std::string, Content>;

Content content_of(std::string text);
Content content_of_file(const std::string &file);

// "output" or the file's NAME, as messages have it.
std::string shown_name(const std::string &name);

} // namespace amp
