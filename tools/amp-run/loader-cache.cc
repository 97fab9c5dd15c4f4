// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the binary file that ldconfig writes.
#include "amp-run/loader-cache.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>

namespace amp {

namespace {

struct Header {
  char magic[20];
  std::uint32_t count, string_bytes, rest[5];
};
struct Entry {
  std::int32_t flags;
  std::uint32_t name, file, os_version; // offsets from the header
  std::uint64_t processor;              // 0: any
};
constexpr std::string_view magic = "glibc-ld.so.cache1.1";

std::string text_at(std::string_view content, std::size_t offset) {
  if (offset >= content.size())
    return {};
  content = content.substr(offset, 4096);
  const std::size_t end = content.find('\0');
  return std::string(end == content.npos ? std::string_view() : content.substr(0, end));
}

} // namespace

LoaderCache parse_loader_cache(std::string_view content) {
  LoaderCache cache;
  // Old systems have a table in an older format before it.
  const std::size_t start = content.find(magic);
  if (start == content.npos || content.size() - start < sizeof(Header))
    return cache;
  content.remove_prefix(start);
  Header header;
  std::memcpy(&header, content.data(), sizeof header);
  const std::size_t room = (content.size() - sizeof header) / sizeof(Entry);
  for (std::size_t i = 0; i < std::min<std::size_t>(header.count, room); ++i) {
    Entry entry;
    std::memcpy(&entry, content.data() + sizeof header + i * sizeof entry, sizeof entry);
    const std::string name = text_at(content, entry.name), file = text_at(content, entry.file);
    if (entry.processor == 0 && !name.empty() && !file.empty())
      cache[name].push_back(file);
  }
  return cache;
}

const LoaderCache &system_loader_cache() {
  static const LoaderCache cache = [] {
    std::ifstream file("/etc/ld.so.cache", std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    return parse_loader_cache(content);
  }();
  return cache;
}

} // namespace amp
